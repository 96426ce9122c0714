import * as protocol from '@sandglass/protocol'
import { ApiError, changedLifecycle } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Api, Call } from '../../http/api.ts'
import { isPlaced, sendCreate } from '../../placement/send-create.ts'
import { endSandbox } from '../../records/end-sandbox.ts'
import { lifecycleOf, setLifecycle } from '../../records/lifecycle.ts'
import { listEndedSandboxes, listSandboxes } from '../../records/list-sandboxes.ts'
import { type SandboxRow, sandboxOf, setNameAndLabels } from '../../records/sandboxes.ts'
import { publicShape } from '../shapes/catalogue.ts'
import { nodeOfVolumes } from '../volumes/claim.ts'
import type { CreateChoices, Target } from './create.ts'
import { extend } from './extend.ts'
import { figuresOf } from './figures.ts'
import { requireSleep } from './lifecycle/require-sleep.ts'
import { requireLocked } from './lock-sandbox.ts'
import type { SandboxParts } from './parts.ts'
import { endOfWait, type PendingSandboxes } from './pending-sandboxes.ts'
import type { PowerRecords } from './power.ts'
import type { SandboxLive } from './sandbox-live.ts'
import type { SandboxRouter } from './sandbox-router.ts'

export function serveSandboxes(
  api: Api,
  router: SandboxRouter,
  parts: SandboxParts,
  pending: PendingSandboxes,
  live: SandboxLive,
): void {
  const { db, shapes, placement, keeper, creation, power } = parts

  api.serve(protocol.listSandboxes, async ({ member, query, reply }) => {
    const { project, projectId = project, status, search } = query
    const labels = Object.fromEntries([query.label ?? []].flat().map(splitLabel))
    const list = query.ended === 'true' ? listEndedSandboxes : listSandboxes
    const { sandboxes, next, total } = await list(db, member, { projectId, status, labels, search }, query)
    reply.header('x-total-count', total)
    if (next !== undefined) reply.header('x-next-cursor', next)
    return sandboxes
  })

  api.serve(protocol.getSandbox, async ({ member, params, query, signal }) => {
    const found = await router.sandbox(member, params.sandboxId)
    const waits = query.wait > 0 && found.status === 'PENDING'
    const sandbox = waits
      ? await pending.outcome(member, found.id, endOfWait(api, query.wait, signal))
      : found
    if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
    return {
      sandbox: {
        ...sandboxOf(sandbox),
        shape: publicShape(shapes.find(sandbox.shape_name), sandbox.shape_name),
      },
      connectDetails: await live.connect(member, sandbox),
    }
  })

  router.serveUnnoticed(protocol.getSandboxFigures, (_call, sandbox) => figuresOf(parts, sandbox))

  api.serve(protocol.getSandboxStatus, async ({ member, params }) => {
    const { status, problem } = sandboxOf(await router.sandbox(member, params.sandboxId))
    return { status, ...(problem && { problem }) }
  })

  api.serve(protocol.createSandbox, async call => {
    const { member, query, body, request, signal, change, earlier } = call
    // A repeat gets the response of the first request, even if a volume was deleted since.
    const repeated = body.volumes.length > 0 ? await earlier<protocol.Sandbox>() : undefined
    if (repeated) return repeated.answer
    const shape = creation.shapeFor(body.shapeName ?? body.shape ?? '', body, member)
    // A repeat gets the response of the first request, even if the quota allows no other sandbox.
    if (request.headers['idempotency-key'] === undefined) await creation.quota.refuseEarly(db, member)
    const commit = async (target: Target): Promise<protocol.Sandbox> => {
      const sandbox = await change(async tx => {
        const created = await creation.create(tx, member, shape, body, target)
        return {
          answer: sandboxOf(created.sandbox),
          target: created.sandbox.id,
          after: () => creation.carryOut(created),
        }
      })
      parts.onChange()
      return sandbox
    }
    const isPlacedHere = isPlaced(placement.peers, request)
    const choices: CreateChoices<protocol.Sandbox> = {
      elsewhere: nodeId => sendCreate(placement.peers, call, nodeId, protocol.Sandbox),
      isPlaced: isPlacedHere,
    }
    const node = await nodeOfVolumes(db, member, shape, body.volumes)
    const created = node
      ? await creation.placeAt(placement.locate(node), shape, commit, choices)
      : await creation.place(shape, body, commit, choices)
    // The process that has placed the create waits itself, for which it needs no answer but this one.
    const seconds = isPlacedHere ? 0 : Math.max(query.wait, body.wait)
    return seconds === 0 ? created : await pending.settled(member, created, endOfWait(api, seconds, signal))
  })

  api.serve(protocol.updateSandbox, ({ member, params, body, change }) =>
    change(async tx => {
      const sandbox = await requireLocked(tx, member, params.sandboxId)
      return { answer: sandboxOf(await setNameAndLabels(tx, sandbox, body)), target: sandbox.id }
    }),
  )

  api.serve(protocol.deleteSandbox, async ({ member, params, change }) => {
    await change(async tx => {
      await endSandbox(tx, await requireLocked(tx, member, params.sandboxId), 'deleted')
      return { answer: undefined, target: params.sandboxId }
    })
    keeper.destroyDoomedSoon()
  })

  api.serve(protocol.extendSandbox, ({ member, params, body, change }) =>
    change(tx => extend(tx, parts, member, params.sandboxId, body.maxLifeSeconds)),
  )

  router.serveAtMachine(protocol.changeSandboxLifecycle, async ({ member, params, body, change }) =>
    change(async tx => {
      const sandbox = await requireLocked(tx, member, params.sandboxId)
      const lifecycle = changedLifecycle(lifecycleOf(sandbox), body)
      const engine = keeper.engines.get(shapes.find(sandbox.shape_name)?.engine ?? '')
      if (engine) requireSleep(engine, body)
      await setLifecycle(tx, sandbox.id, lifecycle)
      return { answer: lifecycle, target: sandbox.id }
    }),
  )

  router.serveAtMachine(protocol.restartSandbox, async ({ member, params, change }, found) => {
    const lost = await power.lost.find(found)
    const sandbox = await change(async tx => {
      const locked = await requireLocked(tx, member, params.sandboxId)
      await power.beginRestart(tx, locked, lost)
      return { answer: locked, target: locked.id }
    })
    await live.recall(sandbox.id)
    await power.restart(sandbox, lost)
  })

  router.serveAtMachine(protocol.pauseSandbox, async ({ member, change, record }, sandbox) => {
    await power.pause(sandbox, recordsOf(member, sandbox, change, record))
  })

  router.serveAtMachine(protocol.resumeSandbox, async ({ member, change, record }, sandbox) => {
    if (!sandbox.hibernated) return await power.resume(sandbox, recordsOf(member, sandbox, change, record))
    const isWoken = await change(async tx => {
      const locked = await requireLocked(tx, member, sandbox.id)
      if (locked.hibernated) await power.beginRestart(tx, locked)
      else if (locked.status !== 'RUNNING')
        throw new ApiError('sandbox.STATE', {
          message: `The sandbox is ${locked.status} and not hibernated.`,
        })
      return { answer: locked.hibernated, target: locked.id }
    })
    if (!isWoken) return
    await live.recall(sandbox.id)
    await power.wake(sandbox)
  })

  router.serveAtMachine(protocol.hibernateSandbox, async ({ member, change, record }, sandbox) => {
    await power.hibernate(sandbox, recordsOf(member, sandbox, change, record))
    await live.recall(sandbox.id)
  })
}

function recordsOf(
  member: OrganizationPrincipal,
  { id }: SandboxRow,
  change: Call<string, unknown, unknown>['change'],
  record: Call<string, unknown, unknown>['record'],
): PowerRecords {
  return {
    attempt: () => record(id),
    done: work =>
      change(async tx => {
        await work(tx, await requireLocked(tx, member, id))
        return { answer: undefined, target: id }
      }),
  }
}

function splitLabel(label: string): [string, string] {
  const at = label.indexOf('=')
  return [label.slice(0, at), label.slice(at + 1)]
}
