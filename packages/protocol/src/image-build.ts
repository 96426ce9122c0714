import { z } from 'zod'
import { Image } from './image.ts'
import { operation } from './operation.ts'
import { EnvironmentVariables } from './sandbox.ts'
import { Description, Name } from './text.ts'

/** What a build starts from. */
const BuildBase = z
  .union([
    z.strictObject({ shapeName: z.string().min(1).max(100).describe('The name of a shape.') }),
    z.strictObject({ imageId: z.string().min(1).max(100).describe('The id of an image.') }),
  ])
  .describe('A shape, whose base image is extended, or an image that the organization can use.')

/**
 * Explains why something is none of the alternatives: what is wrong with the only one whose fields it has, or else which
 * there are.
 */
const noneOf =
  (alternatives: string) =>
  ({ errors = [] }: { readonly errors?: readonly (readonly z.core.$ZodIssue[])[] }): string => {
    const meant = errors.filter(issues =>
      issues.every(({ code, path }) => code !== 'unrecognized_keys' && path.length > 0),
    )
    const [problem, ...others] = meant.length === 1 ? (meant[0] ?? []) : []
    if (!problem || others.some(({ path }) => path[0] !== problem.path[0])) return alternatives
    return `${problem.path.join('.')}: ${problem.message}`
  }

const stepHelp =
  'has one field: apt (names of packages), run (a script), file ({path, content} or {path, url}) or env (variables)'

const AbsolutePath = z
  .string()
  .min(2)
  .max(4000)
  .regex(/^\/[^\0]*[^/\0]$/, 'must be an absolute path of a file')

const path = AbsolutePath.describe('Where the file is written. Missing folders are created. Root owns it.')

/** A step of a build. Each has exactly one field. */
export const BuildStep = z
  .union(
    [
      z.strictObject({
        apt: z
          .array(
            z
              .string()
              .max(100)
              .regex(/^[a-z0-9][a-z0-9+.-]+$/, 'must be the name of a Debian package'),
          )
          .min(1)
          .max(100)
          .describe('Debian packages to install. The service fetches them, so the machine needs no network.'),
      }),
      z.strictObject({
        run: z
          .string()
          .min(1)
          .max(30_000)
          .regex(/^[^\0]*$/, 'must not contain a null character')
          .describe(
            'A script that runs as root with `sh -c`. The build fails if it ends with another code than 0.',
          ),
      }),
      z.strictObject({
        file: z
          .union([
            z.strictObject({ path, content: z.string().max(500_000).describe('What the file contains.') }),
            z.strictObject({
              path,
              url: z
                .url({ protocol: /^https?$/ })
                .max(4000)
                .describe('The service fetches it for every build.'),
            }),
          ])
          .describe('A file to write: its content, or a URL to fetch it from.'),
      }),
      z.strictObject({
        env: EnvironmentVariables.describe(
          'Set for the steps that follow, and for sandboxes that are created from the image.',
        ),
      }),
    ],
    { error: issue => noneOf(stepHelp)(issue as never) },
  )
  .meta({ id: 'BuildStep' })
export type BuildStep = z.infer<typeof BuildStep>

const index = z.int().min(0).describe('The position of the step, from 0.')

/** What a build reports while it runs. The last event is `finished` or `failed`. */
export const BuildEvent = z
  .discriminatedUnion('event', [
    z.object({ event: z.literal('started'), image: Image }),
    z.object({
      event: z.literal('step'),
      step: index,
      cached: z.boolean().describe('Whether the result of an earlier build is used.'),
    }),
    z.object({
      event: z.literal('output'),
      step: index,
      stream: z.enum(['stdout', 'stderr', 'progress']),
      text: z.string(),
    }),
    z.object({ event: z.literal('finished'), image: Image }),
    z.object({
      event: z.literal('failed'),
      reason: z.string(),
      step: index.optional().describe('Left out if no step is to blame.'),
      exitCode: z.int().optional().describe('Set if a script ended with another code than 0.'),
      output: z.string().optional().describe('The last that the step printed.'),
      image: Image,
    }),
  ])
  .meta({ id: 'BuildEvent' })
export type BuildEvent = z.infer<typeof BuildEvent>

export const buildMachineImage = operation({
  id: 'buildMachineImage',
  tag: 'Machine images',
  summary: 'Build an image from steps, and stream the log as server-sent events. Disconnecting cancels it.',
  method: 'POST',
  path: '/api/orgs/{orgId}/machine-images/build',
  access: { to: 'organization', role: 'member' },
  addition: true,
  largeBody: true,
  body: z.object({
    from: BuildBase,
    steps: z
      .array(BuildStep)
      .min(1)
      .max(100)
      .describe('What to do, in this order. Each step has one field: apt, run, file or env.'),
    name: Name.describe('The name of the image.'),
    description: Description.optional().describe('What is in the image, for people.'),
  }),
  answers: { events: BuildEvent },
  examples: [
    {
      body: {
        from: { shapeName: '{shapeName}' },
        steps: [{ run: 'echo hello > /etc/greeting' }],
        name: 'with-greeting',
      },
    },
  ],
  errors: [
    'image.NOT_FOUND',
    'image.NOT_READY',
    'image.TOO_MANY',
    'shape.NOT_FOUND',
    'shape.PLAN_TOO_LOW',
    'sandbox.TOO_MANY',
    'snapshot.UNSUPPORTED',
    'application.UNAVAILABLE',
    'machine.NO_CAPACITY',
    'machine.NOT_READY',
    'node.GONE',
  ],
})

/** The packages that a step installs, if that is what it does. */
export function packagesOf(step: BuildStep): readonly string[] | undefined {
  return 'apt' in step ? step.apt : undefined
}
