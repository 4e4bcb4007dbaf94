// npm run settings: rewrites docs/configuration.md from the schemas of the settings, so that a review shows what changed.

import { writeFile } from 'node:fs/promises';
import { settingsDocument } from '../src/config/settings-table.ts';

await writeFile(new URL('../docs/configuration.md', import.meta.url), settingsDocument());
