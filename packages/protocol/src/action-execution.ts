import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { RequestedAction } from './mobile-alias.ts'
import { operation } from './operation.ts'
import { imageSize, Parsed } from './parsed.ts'
import { UiElement } from './ui-element.ts'

/** Why the wait after an action ended. */
export const Settled = z
  .enum(['rest', 'background', 'timeout', 'none'])
  .describe(
    'Why the wait after the action ended: "rest" if nothing happens any more, "background" if only that goes on which went on before the action (an animation, a program that computes), "timeout" if timeoutMs have passed, "none" if there was no wait.',
  )
export type Settled = z.infer<typeof Settled>

/** The response to an action. A screenshot that cannot be taken or stored does not fail the action. */
export const ActionResult = z
  .object({
    screenShot: z
      .url()
      .optional()
      .describe('URL of the screenshot. A plain GET needs no credential. WebP by default.'),
    screenShotError: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .describe('Why screenShot is missing: it could not be stored. The action was still performed.'),
    image: z
      .object({
        mediaType: z.string(),
        base64: z.string(),
        width: z.int(),
        height: z.int(),
      })
      .optional()
      .describe(
        'The screenshot itself, if includeImage is true. It is the picture that screenShot leads to.',
      ),
    imageError: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .describe('Why image is missing although it was requested. The action was still performed.'),
    cursorPosition: z
      .object({
        x: z.int(),
        y: z.int(),
        screenWidth: z.int(),
        screenHeight: z.int(),
        screenIndex: z.int(),
      })
      .optional(),
    actionResult: z.unknown().optional(),
    callId: z.string().optional(),
    screenShotPutError: z
      .string()
      .optional()
      .describe(
        'Why the upload to screenShotPutUrl failed. The action was still performed, and screenShot is available.',
      ),
    uiTree: z
      .array(UiElement)
      .nullable()
      .optional()
      .describe('The elements on the screen, each parent before its children; null if they cannot be read.'),
    uiTreeError: z.string().optional().describe('Why uiTree is null. The action was still performed.'),
    settled: Settled.optional(),
  })
  .meta({ id: 'ActionResult' })
export type ActionResult = z.infer<typeof ActionResult>

const screenShotPutUrl = z
  .url({ protocol: /^https?$/ })
  .optional()
  .describe('A URL of your own to which the service also uploads the screenshot with PUT.')

/** How the screenshot after an action waits until the action has taken effect. */
export const Settle = z
  .object({
    quietMs: z
      .int()
      .min(0)
      .max(5000)
      .default(100)
      .describe('The wait ends once nothing has happened for this long.'),
    until: z
      .enum(['screen', 'machine'])
      .default('machine')
      .describe(
        'What has to be at rest: "screen" is the picture alone; "machine" is also the windows, and the programs that the action started or made work.',
      ),
    timeoutMs: z
      .int()
      .min(0)
      .max(9000)
      .optional()
      .describe(
        'The screenshot is taken after this long at the latest: 9000 by default until "machine", 2000 until "screen". It is never more than 9000, because clients give up after 10 s and repeat the call.',
      ),
    maxMs: z.int().min(0).max(9000).optional().describe('Alias of timeoutMs.'),
  })
  .meta({ id: 'Settle' })
export type Settle = z.infer<typeof Settle>

/** What to report after an action, and what to keep. Only the first three fields are part of the published contract. */
const observation = {
  screenShotPutUrl,
  includeScreenShot: z.boolean().default(true).describe('Whether to take a screenshot afterwards.'),
  includeCursorPosition: z.boolean().default(true).describe('Whether to report where the pointer is.'),
  settle: z
    .union([Settle, z.enum(['none']), z.literal(false), z.null()])
    .default({ quietMs: 100, until: 'machine' })
    .describe('How to wait until the action has taken effect; "none" takes the screenshot at once.'),
  screenShotFormat: z.enum(['webp', 'png', 'jpeg']).default('webp').describe('The format of the screenshot.'),
  includePointer: z.boolean().default(true).describe('Whether the screenshot shows the mouse pointer.'),
  longestSide: z
    .int()
    .min(320)
    .max(3840)
    .optional()
    .describe(
      'The screenshot is scaled down until neither side is longer than this many pixels. Coordinates of actions stay those of the screen.',
    ),
  includeImage: z
    .boolean()
    .default(false)
    .describe('Whether the response contains the screenshot as base64, so that it need not be fetched.'),
  includeUiTree: z
    .boolean()
    .default(false)
    .describe('Whether to return the accessibility tree of the screen as uiTree.'),
  isSecret: z
    .boolean()
    .default(false)
    .describe('Whether listSandboxActions leaves out the arguments, for texts such as passwords.'),
}
const Observation = z.object(observation)
/** What a caller wants to see after an action. */
export type Observation = z.infer<typeof Observation>

const callId = z.string().optional().describe('Your own id of the call. The response repeats it.')

const ExecuteRequest = z.object({
  action: RequestedAction.describe('What to do.'),
  callId,
  ...observation,
})

/** How many actions one call performs. */
export const maxBatchActions = 100

const BatchRequest = z.object({
  actions: z
    .array(RequestedAction)
    .min(1)
    .max(maxBatchActions)
    .describe('What to do, in this order. The first failure ends it.'),
  callId,
  ...observation,
})

const RunTextRequest = z.object({
  type: z.string().describe('The family of the model, as listParserTypes lists them; `auto` recognises it.'),
  textContent: z.string().describe('What the model wrote.'),
  ...imageSize,
  callId,
  ...observation,
})

const BatchResult = ActionResult.omit({ actionResult: true })
  .extend({
    results: z
      .array(
        z.object({
          success: z.boolean(),
          actionResult: z.unknown().optional(),
          callId: z.string().optional(),
          error: z.object({ code: z.string(), message: z.string() }).optional(),
        }),
      )
      .describe('One entry per attempted action, in order.'),
    failedIndex: z
      .int()
      .optional()
      .describe('Index of the action that failed. Later actions were not attempted.'),
    changed: z
      .array(z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }))
      .optional()
      .describe('Areas of the screen that changed since the previous screenshot.'),
  })
  .meta({ id: 'BatchResult' })
/** The response to several actions: one result per attempted action, and one screenshot at the end. */
export type BatchResult = z.infer<typeof BatchResult>

const RunTextResult = BatchResult.extend(Parsed.shape).meta({ id: 'RunTextResult' })
/** The response to a model's text: what was parsed, and what came of it. */
export type RunTextResult = z.infer<typeof RunTextResult>

const sandbox = '/api/orgs/{orgId}/sandboxes/{sandboxId}'
const drive = { to: 'organization', role: 'member', trial: true } as const

const actionErrors = [
  ...enterErrors,
  'sandbox.TAKEN_OVER',
  'action.INVALID',
  'action.UNFIT',
  'action.ELEMENT',
  'action.TOO_MANY',
  'machine.NO_ANSWER',
  'node.GONE',
] as const

export const previewSandbox = operation({
  id: 'previewSandbox',
  tag: 'Actions',
  summary: 'Take a screenshot.',
  method: 'POST',
  path: `${sandbox}/preview`,
  access: { to: 'organization', role: 'viewer', trial: true },
  body: Observation.pick({
    screenShotPutUrl: true,
    screenShotFormat: true,
    includePointer: true,
    longestSide: true,
    includeImage: true,
    includeUiTree: true,
  }).optional(),
  response: ActionResult,
  pure: true,
  examples: [{ body: { screenShotFormat: 'png', longestSide: 1280 } }],
  errors: actionErrors,
})

export const executeSandboxAction = operation({
  id: 'executeSandboxAction',
  tag: 'Actions',
  summary: 'Perform an action in a sandbox and return the result with a screenshot.',
  method: 'POST',
  path: `${sandbox}/actions/execute`,
  access: drive,
  largeBody: true,
  body: ExecuteRequest,
  response: ActionResult,
  long: true,
  examples: [
    { title: 'Look at the screen', body: { action: { type: 'screenshot' } } },
    {
      title: 'Click in the middle of the screen',
      body: {
        action: {
          type: 'mouse:click',
          x: { type: '/', numerator: 1, denominator: 2 },
          y: { type: '/', numerator: 1, denominator: 2 },
          button: 1,
        },
      },
    },
    { title: 'Type a text', body: { action: { type: 'keyboard:type', content: 'Hello' } } },
    { title: 'Press keys', body: { action: { type: 'keyboard:hotkey', keys: 'ctrl+a' } } },
    {
      title: 'Scroll down',
      body: {
        action: {
          type: 'mouse:scroll',
          x: { type: 'px', value: 200 },
          y: { type: 'px', value: 200 },
          stepVertical: 3,
          stepHorizontal: 0,
        },
      },
    },
  ],
  errors: actionErrors,
})

export const executeComputerUseAction = operation({
  id: 'executeComputerUseAction',
  tag: 'Actions',
  summary: 'Perform an action on a desktop.',
  method: 'POST',
  path: `${sandbox}/actions/computer-use`,
  access: drive,
  largeBody: true,
  body: ExecuteRequest,
  response: ActionResult,
  long: true,
  examples: [
    {
      body: { action: { type: 'mouse:move', x: { type: 'px', value: 100 }, y: { type: 'px', value: 100 } } },
    },
  ],
  errors: actionErrors,
  deprecated: { since: '2025-10-22', successor: `${sandbox}/actions/execute` },
})

export const executeSandboxActions = operation({
  id: 'executeSandboxActions',
  tag: 'Actions',
  summary: 'Perform several actions in a sandbox and return one screenshot of the result.',
  method: 'POST',
  path: `${sandbox}/actions/batch`,
  access: drive,
  largeBody: true,
  body: BatchRequest,
  response: BatchResult,
  long: true,
  examples: [
    {
      body: {
        actions: [
          { type: 'mouse:move', x: { type: 'px', value: 100 }, y: { type: 'px', value: 100 } },
          { type: 'keyboard:type', content: 'Hello' },
        ],
      },
    },
  ],
  errors: actionErrors,
  addition: true,
})

export const runModelText = operation({
  id: 'runModelText',
  tag: 'Actions',
  summary: "Parse a model's text, perform its actions in a sandbox, and return one screenshot of the result.",
  method: 'POST',
  path: `${sandbox}/actions/run-text`,
  access: drive,
  largeBody: true,
  body: RunTextRequest,
  response: RunTextResult,
  long: true,
  examples: [
    {
      body: {
        type: 'ui-tars',
        textContent: "Thought: The menu is at the top.\nAction: click(start_box='(100,100)')",
      },
    },
  ],
  errors: [
    ...actionErrors,
    'parser.UNKNOWN_TYPE',
    'parser.NO_ACTION',
    'parser.ACTION_UNKNOWN',
    'parser.UNITS',
    'parser.TOO_MANY_ACTIONS',
  ],
  addition: true,
})
