import { z } from 'zod';

/** A service provider as far as we look at it. */
export type ServiceProvider = z.output<typeof ServiceProviderEntry> & {
  /** Of the corporate identity provider that is configured. */
  readonly identityProviderId: string;
};

const ServiceProviderEntry = z
  .object({
    id: z.string().min(1),
    assertion_attributes: z
      .array(z.object({ assertionAttribute: z.string(), userAttribute: z.string() }))
      .nullish(),
    clientSecrets: z.array(z.object({ clientSecretId: z.string() })).nullish(),
    userForRest: z.string().nullish(),
  })
  .transform((entry) => ({
    id: entry.id,
    assertionAttributes: entry.assertion_attributes ?? [],
    secretIds: (entry.clientSecrets ?? []).map(({ clientSecretId }) => clientSecretId),
    userForRest: entry.userForRest ?? '',
  }));

/** The one document that holds everybody's providers. Only those with our names are looked at: others may look odd. */
export const companyWith = (serviceProvider: string, identityProvider: string) =>
  z.object({
    service_providers: z.preprocess(
      only('display_name', serviceProvider),
      z.array(ServiceProviderEntry),
    ),
    identity_providers: z.preprocess(
      only('name', identityProvider),
      z.array(z.object({ id: z.string().min(1) })),
    ),
  });

const only = (key: string, value: string) => (all: unknown) =>
  Array.isArray(all)
    ? all.filter((each: Readonly<Record<string, unknown>> | null) => each?.[key] === value)
    : (all ?? []);
