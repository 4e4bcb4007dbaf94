/** Where a request comes from. */
export type Platform = {
  /** `cf-eu10`: of the path, or the default one. */
  readonly region: string;
  readonly provider: PlatformProvider;
};

const byDigit = ['SapConvergedCloud', 'AWS', 'Azure', 'GCP', 'Alicloud'] as const;
export type PlatformProvider = (typeof byDigit)[number] | 'unknown';

/** Only the path says where the platform itself runs; the default region is nobody's word on it. */
export function platformOf(pathRegion: string | undefined, defaultRegion: string): Platform {
  if (!pathRegion) return { region: defaultRegion, provider: 'unknown' };
  const digit = /\d/.exec(pathRegion)?.[0];
  return { region: pathRegion, provider: byDigit[Number(digit)] ?? 'unknown' };
}
