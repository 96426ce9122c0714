import {
  connectionView,
  controlPrefix,
  detailView,
  errorView,
  logView,
  metricView,
  type SandboxAccess,
  Seconds,
} from '@sandglass/doors/e2b'
import * as protocol from '@sandglass/protocol'
import { ApiError, type Sandbox } from '@sandglass/protocol'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { AnsweredElsewhere } from '../../../http/api.ts'
import { noteError } from '../../../http/errors.ts'
import { parseInput } from '../../../http/input.ts'
import type { DoorParts } from '../door-parts.ts'
import { serveUploads } from '../templates/files.ts'
import { serveTemplates } from '../templates/routes.ts'
import type { AddRoute } from './add-route.ts'
import { ControlCall } from './control-call.ts'
import { createSandbox } from './create.ts'
import { findSandbox } from './find.ts'
import { fork } from './fork.ts'
import { setLife } from './life.ts'
import { list } from './list.ts'
import { updateNetwork } from './network.ts'
import { connect, pause } from './power.ts'
import { refuseOthers } from './refuse-others.ts'
import { createSnapshot, deleteTemplate, listSnapshots } from './snapshots.ts'
import { readyImages } from './templates.ts'

const Timeout = z.object({ timeout: Seconds })
const Refresh = z.object({ duration: Seconds.default(60) })
const LogQuery = z.object({ limit: z.coerce.number().int().min(1).max(1000).default(1000) })

/** Serves the control plane that clients call with their key. */
export function serveControl(app: FastifyInstance, parts: DoorParts): void {
  const { api, tokens, mappings } = parts

  const accessTo = ({ id }: Sandbox, { member }: ControlCall): SandboxAccess => ({
    envdAccessToken: tokens.forDaemon(id, member),
    trafficAccessToken: tokens.forTraffic(id, member),
    domain: mappings.names.domain,
  })
  const viewFor = (call: ControlCall) => (sandbox: Sandbox) =>
    connectionView(sandbox, accessTo(sandbox, call))

  app.register(async scope => {
    scope.setErrorHandler((error, request, reply) => {
      const known = noteError(error, request, reply)
      reply.code(known.status).send(errorView(known))
    })

    const route: AddRoute = (method, paths, operation, handle) => {
      for (const path of paths)
        scope.route({
          method,
          url: `${controlPrefix}${path}`,
          exposeHeadRoute: false,
          config: {
            access: { to: 'organization', role: 'viewer', trial: true },
            ownOrganization: true,
            operation,
          },
          handler: async (request, reply) => {
            try {
              const { body, status = body === undefined ? 204 : 200 } = await handle(
                new ControlCall(api, request, reply),
              )
              return reply.code(status).send(body)
            } catch (error) {
              if (error instanceof AnsweredElsewhere) return reply
              throw error
            }
          },
        })
    }

    route('POST', ['/sandboxes', '/v2/sandboxes'], protocol.createSandbox, async call => ({
      status: 201,
      body: viewFor(call)(await createSandbox(parts, call)),
    }))
    route('GET', ['/sandboxes', '/v2/sandboxes'], protocol.listSandboxes, async call => ({
      body: await list(call),
    }))
    route('GET', ['/sandboxes/:id', '/v2/sandboxes/:id'], protocol.getSandbox, async call => {
      const { sandbox, state, size } = await findSandbox(call)
      return { body: detailView(sandbox, state, size, mappings.names.domain) }
    })
    route('DELETE', ['/sandboxes/:id', '/v2/sandboxes/:id'], protocol.deleteSandbox, async call => {
      await call.native(protocol.deleteSandbox, { params: call.sandbox })
      return {}
    })
    route(
      'POST',
      ['/sandboxes/:id/timeout', '/v2/sandboxes/:id/timeout'],
      protocol.extendSandbox,
      async call => {
        const { timeout } = parseInput(Timeout, call.request.body, 'body')
        await findSandbox(call)
        await setLife(parts, call, call.id, timeout)
        return {}
      },
    )
    route('POST', ['/sandboxes/:id/refreshes'], protocol.extendSandbox, async call => {
      const { duration } = parseInput(Refresh, call.request.body ?? {}, 'body')
      const { sandbox } = await findSandbox(call)
      const isLonger = Date.parse(sandbox.expiresAt) < parts.sandboxes.clock.now() + duration * 1000
      if (isLonger) await setLife(parts, call, call.id, duration)
      return {}
    })
    route('POST', ['/sandboxes/:id/pause', '/v2/sandboxes/:id/pause'], protocol.pauseSandbox, async call => {
      await pause(call)
      return {}
    })
    const connectPaths = ['/connect', '/resume'].flatMap(path => [
      `/sandboxes/:id${path}`,
      `/v2/sandboxes/:id${path}`,
    ])
    route('POST', connectPaths, protocol.resumeSandbox, async call => {
      const { sandbox, isResumed } = await connect(parts, call)
      return { status: isResumed ? 201 : 200, body: viewFor(call)(sandbox) }
    })
    route('GET', ['/sandboxes/:id/metrics'], protocol.getSandboxFigures, async call => {
      const { sandbox } = await findSandbox(call)
      const figures = await call.native(protocol.getSandboxFigures, { params: call.sandbox })
      return { body: [metricView(figures, sandbox.createdAt)] }
    })
    const readLogs = async (call: ControlCall) => {
      const { limit } = parseInput(LogQuery, call.request.query, 'query')
      const { events } = await call.native(protocol.listSandboxEvents, {
        params: call.sandbox,
        query: { limit },
      })
      return events.map(logView)
    }
    route('GET', ['/sandboxes/:id/logs'], protocol.listSandboxEvents, async call => {
      const logEntries = await readLogs(call)
      const logs = logEntries.map(({ timestamp, message }) => ({ timestamp, line: message }))
      return { body: { logs, logEntries } }
    })
    route('GET', ['/v2/sandboxes/:id/logs'], protocol.listSandboxEvents, async call => ({
      body: { logs: await readLogs(call) },
    }))
    route('PUT', ['/sandboxes/:id/network'], protocol.updateSandbox, updateNetwork)
    route('POST', ['/sandboxes/:id/fork'], protocol.forkSandbox, async call => ({
      status: 201,
      body: await fork(call, viewFor(call)),
    }))
    route('POST', ['/sandboxes/:id/snapshots'], protocol.createMachineImage, async call => ({
      status: 201,
      body: await createSnapshot(call),
    }))
    route('GET', ['/snapshots'], protocol.listMachineImages, async call => ({
      body: await listSnapshots(call),
    }))
    route('GET', ['/templates'], protocol.listMachineImages, async call => ({
      body: (await readyImages(call)).map(({ id, name, createdAt, scope: visibility }) => ({
        templateID: id,
        aliases: [name],
        names: [name],
        public: visibility === 'PUBLIC',
        createdAt,
        updatedAt: createdAt,
      })),
    }))
    route('DELETE', ['/templates/:id'], protocol.deleteMachineImage, async call => {
      await deleteTemplate(call)
      return {}
    })
    serveTemplates(route, parts)
    serveUploads(scope, parts)
    refuseOthers(scope)
    scope.all(`${controlPrefix}/*`, { config: { access: { to: 'anyone' } } }, async ({ method, url }) => {
      throw new ApiError('route.NOT_FOUND', {
        message: `${method} ${url.slice(controlPrefix.length)} is not supported here (docs/e2b.md).`,
      })
    })
  })
}
