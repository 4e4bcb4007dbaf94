import { httpClient, type SystemSettings } from '../http-client.ts';
import { clientCredentials } from '../oauth.ts';
import { limitsIn } from '../system-limits.ts';
import { eventServices, type CisVersion, type EventPage } from './event-services.ts';

/** Cloud Information Service: tells which subaccounts were deleted, so that their instances can be removed. */
export type CisClient = {
  /** One page of deletions, the first without `from`, and where the next one begins. */
  readonly deletedSubaccounts: (
    from: string | undefined,
    signal: AbortSignal,
  ) => Promise<DeletedSubaccounts>;
};

export type DeletedSubaccounts = EventPage;

export type CisSettings = SystemSettings & {
  readonly version: CisVersion;
  /** The token URL itself. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Events per page; without it, as many as the version is used to. */
  readonly pageSize?: number;
};

export function cisClient(settings: CisSettings): CisClient {
  const { authUrl: tokenUrl, clientId, clientSecret } = settings;
  const service = eventServices[settings.version];
  const pageSize = settings.pageSize ?? service.pageSize;
  const http = httpClient(
    'cis',
    settings,
    clientCredentials('cis', { ...limitsIn(settings), tokenUrl, clientId, clientSecret }),
  );

  return {
    async deletedSubaccounts(from, signal) {
      const { body } = await http.request({
        method: 'GET',
        path: service.path,
        query: service.query(from, String(pageSize)),
        expect: [200],
        answer: service.answer(from),
        what: 'list deleted subaccounts',
        signal,
      });
      return body;
    },
  };
}

/** Page after page to the end. A failure ends it; who wants to go on where it broke off asks for pages instead. */
export async function* everyDeletedSubaccount(
  cis: CisClient,
  signal: AbortSignal,
): AsyncGenerator<DeletedSubaccounts> {
  let from: string | undefined;
  do {
    const page = await cis.deletedSubaccounts(from, signal);
    yield page;
    from = page.next;
  } while (from !== undefined);
}
