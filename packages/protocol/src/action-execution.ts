import { z } from 'zod'
import { RequestedAction } from './mobile-alias.ts'
import { operation } from './operation.ts'
import { UiElement } from './ui-element.ts'

export const ActionResult = z
  .object({
    screenShot: z.url().optional().describe('A plain GET fetches it with no credential; WebP by default.'),
    screenShotError: z
      .object({ code: z.string(), message: z.string() })
      .optional()
      .describe('Why there is no screenShot: its picture cannot be stored. The action was done.'),
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
        'Why the picture is not at screenShotPutUrl. The action was done, and screenShot has the picture.',
      ),
    uiTree: z
      .array(UiElement)
      .nullable()
      .optional()
      .describe('What is on the screen, each parent before its children; null where nobody tells.'),
    uiTreeError: z.string().optional().describe('Why uiTree is null. The action was done.'),
  })
  .meta({ id: 'ActionResult' })
export type ActionResult = z.infer<typeof ActionResult>

const screenShotPutUrl = z.url({ protocol: /^https?$/ }).optional()

/** The picture after an action waits for the screen to come to rest, so long and no longer. */
export const Settle = z
  .object({
    quietMs: z.int().min(0).max(5000).default(100).describe('At rest is what did not change for so long.'),
    maxMs: z
      .int()
      .min(0)
      .max(9000)
      .default(2000)
      .describe('The picture is taken after so long, at rest or not.'),
  })
  .meta({ id: 'Settle' })
export type Settle = z.infer<typeof Settle>

/** What to look at after acting; all of it but the three of the contract is ours. */
const observation = {
  screenShotPutUrl,
  includeScreenShot: z.boolean().default(true),
  includeCursorPosition: z.boolean().default(true),
  settle: z
    .union([Settle, z.enum(['none']), z.literal(false), z.null()])
    .default({ quietMs: 100, maxMs: 2000 })
    .describe('How the picture waits for the screen to come to rest; "none" takes it at once.'),
  screenShotFormat: z.enum(['webp', 'png', 'jpeg']).default('webp'),
  includePointer: z.boolean().default(true).describe('Whether the pointer is drawn into the picture.'),
  includeUiTree: z
    .boolean()
    .default(false)
    .describe('Whether the elements on the screen are told beside the picture, as programs tell them.'),
}
const Observation = z.object(observation)
export type Observation = z.infer<typeof Observation>

const ExecuteRequest = z.object({
  action: RequestedAction,
  callId: z.string().optional(),
  ...observation,
})

const BatchRequest = z.object({
  actions: z.array(RequestedAction).min(1).max(100),
  callId: z.string().optional(),
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
      .describe('One for each action that was tried, in their order.'),
    failedIndex: z.int().optional().describe('The action that failed; those after it were not tried.'),
    changed: z
      .array(z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }))
      .optional()
      .describe('What of the screen changed since the picture before.'),
  })
  .meta({ id: 'BatchResult' })
export type BatchResult = z.infer<typeof BatchResult>

const sandbox = '/api/orgs/{orgId}/sandboxes/{id}'
const drive = { to: 'organization', role: 'member', trial: true } as const

const actionErrors = [
  ...(['sandbox.NOT_FOUND', 'sandbox.STATE', 'sandbox.UNREACHABLE', 'sandbox.TAKEN_OVER'] as const),
  ...(['action.INVALID', 'action.UNFIT', 'action.ELEMENT', 'action.TOO_MANY'] as const),
  ...(['machine.NO_ANSWER', 'node.GONE'] as const),
]

export const previewSandbox = operation({
  id: 'previewSandbox',
  tag: 'Actions',
  summary: 'A picture of the screen.',
  method: 'POST',
  path: `${sandbox}/preview`,
  access: { to: 'organization', role: 'viewer', trial: true },
  body: Observation.pick({
    screenShotPutUrl: true,
    screenShotFormat: true,
    includePointer: true,
    includeUiTree: true,
  }).optional(),
  response: ActionResult,
  pure: true,
})

export const executeSandboxAction = operation({
  id: 'executeSandboxAction',
  tag: 'Actions',
  summary: 'Act in a sandbox and see what came of it.',
  method: 'POST',
  path: `${sandbox}/actions/execute`,
  access: drive,
  body: ExecuteRequest,
  response: ActionResult,
  long: true,
  errors: actionErrors,
})

export const executeComputerUseAction = operation({
  id: 'executeComputerUseAction',
  tag: 'Actions',
  summary: 'Act on a desktop.',
  method: 'POST',
  path: `${sandbox}/actions/computer-use`,
  access: drive,
  body: ExecuteRequest,
  response: ActionResult,
  long: true,
  errors: actionErrors,
  deprecated: { since: '2025-10-22', successor: `${sandbox}/actions/execute` },
})

export const executeSandboxActions = operation({
  id: 'executeSandboxActions',
  tag: 'Actions',
  summary: 'Do several things in a sandbox, and see what came of them in one picture.',
  method: 'POST',
  path: `${sandbox}/actions/batch`,
  access: drive,
  body: BatchRequest,
  response: BatchResult,
  long: true,
  errors: actionErrors,
  addition: true,
})
