import { runPgBoss } from './pg-boss-subject.ts';

await runPgBoss('with the batch');
