import { z } from 'zod'
import { RequestedAction } from './mobile-alias.ts'
import { operation } from './operation.ts'

export const ActionResult = z
  .object({
    screenShot: z.url().optional().describe('A plain GET fetches it with no credential; WebP by default.'),
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
  })
  .meta({ id: 'ActionResult' })
export type ActionResult = z.infer<typeof ActionResult>

const screenShotPutUrl = z.url({ protocol: /^https?$/ }).optional()

const ExecuteRequest = z.object({
  action: RequestedAction,
  callId: z.string().optional(),
  screenShotPutUrl,
  includeScreenShot: z.boolean().default(true),
  includeCursorPosition: z.boolean().default(true),
})

const sandbox = '/api/orgs/{orgId}/sandboxes/{id}'
const drive = { to: 'organization', role: 'member', trial: true } as const

export const previewSandbox = operation({
  id: 'previewSandbox',
  tag: 'Actions',
  summary: 'A picture of the screen.',
  method: 'POST',
  path: `${sandbox}/preview`,
  access: { to: 'organization', role: 'viewer', trial: true },
  body: z.object({ screenShotPutUrl }).optional(),
  response: ActionResult,
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
  deprecated: { since: '2025-10-22', successor: `${sandbox}/actions/execute` },
})
