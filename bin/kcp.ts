// The operators' command line: node bin/kcp.js, or npm run kcp --.
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { runKcp } from '#cli';
import { systemClock } from '#time';
import manifest from '../package.json' with { type: 'json' };

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
// Whoever reads may have enough (kcp runtimes | head).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runKcp(process.argv.slice(2), {
  environment: process.env,
  home: homedir(),
  input: process.stdin,
  output: process.stdout,
  notes: process.stderr,
  signal: interrupted.signal,
  clock: systemClock,
  version: manifest.version,
  openPage,
  loginPorts: [8000, 18_000],
});

/** Where there is no browser, the address is on the screen. */
function openPage(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
