import { SystemError } from '../system-error.ts';

/** Built from a pull request or from the main branch: such versions are kept apart from the releases. */
export const isDevelopmentVersion = (version: string): boolean =>
  /^(?:PR-.*|(?:main|master)(?:-.*)?)$/.test(version);

/** A version is a folder's name: it must not lead out of there. */
export function checkVersion(version: string): void {
  if (/^[0-9A-Za-z][-+._0-9A-Za-z]*$/.test(version)) return;
  throw new SystemError(
    'artifacts',
    `artifacts: version: ${JSON.stringify(version)} is none: it begins with a letter or digit, and has letters, digits, "-", "+", "." and "_"`,
    { temporary: false, reason: 'invalid_version' },
  );
}
