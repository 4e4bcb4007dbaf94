import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { keeping } from '../kept-state.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { componentsYaml, installerYaml, malformedYaml, tillerYaml } from './files.ts';

type Place = { Params: { version: string; file: string } };
type Version = { hasTiller: boolean; isMalformed: boolean; askedBy?: string };

/** Of releases, and of development: the last of them cannot be installed. */
const releases = [
  '1.11.0',
  '1.16.0',
  '1.19.1',
  '1.24.10',
  '2.0.4',
  '2.4.3',
  '2.18.0',
  '2.19.0',
  '1.24.11-bad',
  '2.20.0-bad',
];
const developments = ['main', 'main-0a1b2c3d', 'master-4e5f6a7b', 'PR-1234', 'PR-666-bad'];

/** The files of Kyma's versions: `/releases`, `/components` (of releases) and `/development`, a folder per version each. */
export const artifacts: MakeSystem = ({ url, caller }) => {
  const newVersion = (name: string): Version => ({
    hasTiller: name.startsWith('1.11.'),
    isMalformed: false,
  });
  const known = new Map([...releases, ...developments].map((name) => [name, newVersion(name)]));

  const send = (reply: FastifyReply, text: string | undefined) => {
    if (text === undefined)
      return reply.code(404).type('application/xml').send('<Error><Code>NoSuchKey</Code></Error>');
    return reply.type('application/x-yaml').send(text);
  };
  const contentOf = ({ version, file }: Place['Params']): string | undefined => {
    const found = known.get(version);
    if (!found) return undefined;
    if (found.isMalformed) return malformedYaml;
    switch (file) {
      case 'kyma-installer-cluster.yaml':
        return installerYaml(version);
      case 'tiller.yaml':
        return found.hasTiller ? tillerYaml : undefined;
      case 'kyma-components.yaml':
        return componentsYaml;
      default:
        return undefined;
    }
  };
  const isDevelopment = (version: string) => /^(?:PR-|main|master)/.test(version);

  return {
    name: 'artifacts',
    inventory: () => ({
      versions: [...known].map(([version, { hasTiller: _hasTiller, ...rest }]) => ({
        version,
        ...rest,
      })),
    }),
    state: keeping({ known }),
    serve(app) {
      app.get<Place>('/releases/:version/:file', async ({ params }, reply) =>
        send(reply, isDevelopment(params.version) ? undefined : contentOf(params)),
      );
      app.get<Place>('/development/:version/:file', async ({ params }, reply) =>
        send(reply, isDevelopment(params.version) ? contentOf(params) : undefined),
      );
      // The files of releases lie somewhere else, as those on GitHub do.
      app.get<Place>('/components/:version/:file', async ({ params: { version, file } }, reply) =>
        reply.redirect(`${url()}/releases/${encodeURIComponent(version)}/${file}`, 302),
      );
      // A switch that the real one does not have: another version, or one whose files are malformed.
      app.put<Place>('/versions/:version', async ({ params: { version }, body }, reply) => {
        const wish = z.strictObject({ isMalformed: z.boolean().default(false) }).safeParse(body);
        if (!wish.success) return reply.code(400).send({ message: z.prettifyError(wish.error) });
        const before = known.get(version) ?? { ...newVersion(version), askedBy: caller() };
        known.set(version, { ...before, ...wish.data });
        return reply.code(204).send();
      });
    },
  };
};
