// Makes a clone ready: installs what the lockfile names and builds the web console, if that is not done already. Run by
// `npm start` and `npm test` before anything else, so it is plain JavaScript that any Node from 20 on can run, without
// dependencies.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, execPath, exit, platform } from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Installs a folder's packages from its lockfile. No package may run a script of its own while it is installed. */
function install(folder) {
  const stamp = join(folder, 'node_modules', '.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`${platform}-${process.arch}`)
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.error('Installing the packages of the lockfile; this happens once …');
  // npm may be the one that called us, or the one on the path.
  const npm = process.env.npm_execpath;
  const [command, ...first] = npm?.endsWith('.js') ? [execPath, npm] : ['npm'];
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  try {
    execFileSync(command, [...first, ...words], {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      shell: platform === 'win32',
    });
  } catch {
    console.error(`Could not install the packages of ${folder}; npm says above why.`);
    exit(1);
  }
  writeFileSync(stamp, wanted);
}

for (const folder of [root, ...argv.slice(2).map((name) => join(root, name))]) install(folder);

/** Bundles the console, if its sources have changed. Without it everything works but the console, and that says so. */
function buildConsole() {
  const sources = readdirSync(join(root, 'src/console'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const hash = createHash('sha256');
  for (const path of [
    ...sources,
    join(root, 'scripts/build-console.ts'),
    join(root, 'package-lock.json'),
  ])
    hash.update(path.slice(root.length)).update(readFileSync(path));
  const wanted = hash.digest('hex');
  const stamp = join(root, 'build/console/.built');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  try {
    // The Node of the lockfile: the one that runs this may be too old.
    execFileSync(join(root, 'node_modules/.bin/node'), [join(root, 'scripts/build-console.ts')], {
      stdio: ['ignore', 2, 2],
      shell: platform === 'win32',
    });
    writeFileSync(stamp, wanted);
  } catch {
    console.error('The web console could not be built; what is above says why. All else goes on.');
  }
}

buildConsole();
