import * as protocol from '@sandglass/protocol'
import type { Texts } from '../parsing/texts.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import type { Execution } from './execution.ts'
import { actionsOfText } from './model-text.ts'
import { requireComputerUse, requireSupported } from './supported.ts'

const defaultPreview = {
  screenShotFormat: 'webp',
  includePointer: true,
  includeImage: false,
  includeUiTree: false,
} as const

export function serveActions(router: SandboxRouter, execution: Execution, texts: Texts): void {
  for (const operation of [protocol.executeSandboxAction, protocol.executeComputerUseAction])
    router.serveInside(operation, async ({ body, signal }, inside) => {
      const { action, callId = action.callId, ...observation } = body
      if (operation === protocol.executeComputerUseAction) requireComputerUse(action)
      const result = await execution.one(
        inside,
        requireSupported(action, inside.machine),
        observation,
        signal,
      )
      return { ...result, ...(callId !== undefined && { callId }) }
    })

  router.serveInside(protocol.executeSandboxActions, async ({ body, signal }, inside) => {
    const { actions, callId, ...observation } = body
    const result = await execution.several(
      inside,
      actions.map(action => requireSupported(action, inside.machine)),
      observation,
      'api',
      signal,
    )
    return { ...result, ...(callId !== undefined && { callId }) }
  })

  router.serveInside(protocol.runModelText, async ({ principal, body, signal }, inside) => {
    const { type, textContent, imageWidth, imageHeight, callId, ...observation } = body
    const { parsed, actions } = await actionsOfText(texts, principal, inside, body)
    const result = await execution.several(inside, actions, observation, 'text', signal)
    return { ...parsed, ...result, ...(callId !== undefined && { callId }) }
  })

  router.serveInside(protocol.previewSandbox, ({ body, signal }, inside) =>
    execution.preview(inside, body ?? defaultPreview, signal),
  )
}
