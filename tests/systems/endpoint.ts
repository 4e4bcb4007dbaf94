/** 'GET /tenants/{id}', 'POST /graphql runtime'. */
export type Endpoint = { readonly method: string; readonly path: string; readonly field?: string };

export function endpointOf(text: string, base = ''): Endpoint {
  const [method = '', path = '', field] = text.split(' ');
  return { method, path: base + path, ...(field !== undefined && { field }) };
}

/** A part in braces stands for any, as one part of the path; of the query only what is named is looked at. */
export const patternOf = ({ path }: Endpoint): string =>
  `^${path
    .split(/\{\w+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/?]+')}(?:[?&]|$)`;

/** Of those that fit, the one that leaves least open. */
export function endpointFor(
  request: {
    readonly method: string;
    readonly path: string;
    readonly fields?: readonly string[];
  },
  endpoints: readonly string[],
  base?: string,
): string | undefined {
  const openness = (text: string) => text.split('{').length;
  return endpoints
    .toSorted((a, b) => openness(a) - openness(b))
    .find((text) => {
      const endpoint = endpointOf(text, base);
      return (
        endpoint.method === request.method &&
        new RegExp(patternOf(endpoint)).test(request.path) &&
        (endpoint.field === undefined || request.fields?.includes(endpoint.field))
      );
    });
}
