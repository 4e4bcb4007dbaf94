import { z } from 'zod';
import { CloudRefusal } from '../cloud-refusal.ts';
import type { MakeSystem } from '../simulated-system.ts';
import { accountOf } from './caller-account.ts';
import {
  deletionDocument,
  refusalDocument,
  regionsDocument,
  volumesDocument,
} from './documents.ts';
import { AwsVolumes, stateOf, volumeStates } from './volumes.ts';

const regions = ['eu-central-1', 'eu-west-1', 'us-east-1', 'ap-southeast-1'] as const;

/** AWS may give less than it is asked for. */
const largestPage = 20;

const common = { Version: z.literal('2016-11-15') };
const Query = z.discriminatedUnion('Action', [
  z.strictObject({ ...common, Action: z.literal('DescribeRegions') }),
  z.strictObject({
    ...common,
    Action: z.literal('DescribeVolumes'),
    MaxResults: z.coerce.number().int().min(5).max(1_000).default(1_000),
    NextToken: z
      .string()
      .regex(/^from-\d+$/)
      .transform((token) => Number(token.slice('from-'.length)))
      .optional(),
  }),
  z.strictObject({ ...common, Action: z.literal('DeleteVolume'), VolumeId: z.string().min(1) }),
]);

/** What the world does in an account: `PUT /aws/_landscape/volumes/<id>`. */
const WantedVolume = z.strictObject({
  account: z.string().min(1).default('simulated-accessKeyID'),
  region: z.enum(regions),
  state: z.enum(volumeStates).default('available'),
});

/** EC2, as far as volumes go. Its regions are folders here, and hosts at AWS. */
export const aws: MakeSystem = (surroundings) => {
  const volumes = new AwsVolumes(surroundings);

  function answer(account: string, region: string, query: unknown): string {
    const { data: asked, error } = Query.safeParse(query);
    if (error) throw new CloudRefusal(400, 'InvalidParameterValue', z.prettifyError(error));
    switch (asked.Action) {
      case 'DescribeRegions':
        return regionsDocument(regions);
      case 'DescribeVolumes': {
        const { NextToken: from = 0, MaxResults: most } = asked;
        const found = volumes.of(account, region);
        const end = from + Math.min(most, largestPage);
        const page = found.slice(from, end);
        return volumesDocument(page, end < found.length ? `from-${end}` : undefined);
      }
      case 'DeleteVolume':
        volumes.delete(account, region, asked.VolumeId);
        return deletionDocument();
    }
  }

  return {
    name: 'aws',
    inventory: () => ({
      volumes: volumes.all().map((volume) => ({
        account: volume.account,
        region: volume.region,
        id: volume.id,
        state: stateOf(volume),
        askedBy: volume.askedBy,
      })),
    }),
    state: volumes.state,
    serve(app) {
      app.get<{ Params: { region: string } }>('/:region/', async (request, reply) => {
        const { region } = request.params;
        reply.type('text/xml;charset=UTF-8');
        try {
          if (!regions.some((each) => each === region))
            throw new CloudRefusal(404, 'UnknownEndpoint', `there is no region ${region}`);
          return answer(accountOf(request, region), region, request.query);
        } catch (error) {
          if (!(error instanceof CloudRefusal)) throw error;
          return reply.code(error.status).send(refusalDocument(error));
        }
      });
      // A switch that the real one does not have: a volume is there, and in which state.
      app.put<{ Params: { id: string } }>(
        '/_landscape/volumes/:id',
        async ({ params: { id }, body }, reply) => {
          const wanted = WantedVolume.safeParse(body);
          if (!wanted.success)
            return reply.code(400).send({ message: z.prettifyError(wanted.error) });
          volumes.put({ id, ...wanted.data });
          return reply.code(204).send();
        },
      );
    },
  };
};
