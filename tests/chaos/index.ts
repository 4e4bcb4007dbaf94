// npm run chaos -- [--runtimes=10000] [--kills=20] [--replicas=3] [--seed=…]
import { inspect, parseArgs } from 'node:util';
import { fleetChaos } from './fleet.ts';

const { values } = parseArgs({
  options: {
    runtimes: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    replicas: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const options = {
  runtimes: Number(values.runtimes),
  kills: Number(values.kills),
  replicas: Number(values.replicas),
  seed: Number(values.seed),
};
for (const [name, value] of Object.entries(options))
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);

const say = (line: string) => process.stdout.write(`${line}\n`);
const again = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
try {
  await fleetChaos(options, say);
  say('passed');
} catch (error) {
  process.exitCode = 1;
  say(`FAILED; the same again: npm run chaos -- ${again.join(' ')}`);
  say(inspect(error));
}
process.exit(); // the embedded PostgreSQL of this process has nothing worth keeping
