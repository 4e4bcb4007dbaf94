// Bundles the web console into build/console, from where the broker serves it. Run by scripts/setup.js when needed.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const target = join(root, 'build/console');
// Whoever starts a broker meanwhile finds a whole console, the old or the new one.
const fresh = join(root, `build/console-${process.pid}`);

await build({
  configFile: false,
  root: join(root, 'src/console'),
  base: '/ui/',
  logLevel: 'warn',
  build: {
    outDir: fresh,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Content inside of the page would need a weaker content security policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
await rm(target, { recursive: true, force: true });
await rename(fresh, target);
