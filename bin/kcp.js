#!/usr/bin/env node
// Starts kcp.ts. Plain JavaScript, so that a cache can be switched on before the first TypeScript is read: once it is filled,
// nothing has to be stripped of its types, and a short command takes half the time.
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./kcp.ts');
