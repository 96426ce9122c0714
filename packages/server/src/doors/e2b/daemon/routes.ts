import {
  connectMethods,
  type Daemon,
  daemonPrefix,
  GuestUsers,
  isScreenshot,
  metricView,
  refusalOf,
  unknownMethod,
  userIn,
} from '@sandglass/doors/e2b'
import * as protocol from '@sandglass/protocol'
import { ApiError, type Operation } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AnsweredElsewhere, disconnectSignal } from '../../../http/api.ts'
import { passBodiesThrough } from '../../../http/body.ts'
import { noteError } from '../../../http/errors.ts'
import { parseInput } from '../../../http/input.ts'
import { sendContent } from '../../../modules/files/content.ts'
import { fileError } from '../../../modules/files/failures.ts'
import { FileWatchers } from '../../../modules/files/file-watchers.ts'
import { openSmall } from '../../../modules/files/open-small.ts'
import type { Inside } from '../../../modules/sandboxes/sandbox-router.ts'
import type { DoorParts } from '../door-parts.ts'
import { memberOf } from '../member.ts'
import { answerMethod } from './answer-method.ts'
import { environmentOf } from './environment.ts'
import { FileQuery } from './file-query.ts'
import { DaemonCallers, sandboxIdIn } from './identify.ts'
import { operationOf } from './operations.ts'
import { SandboxPrograms } from './sandbox-programs.ts'
import { Screenshots } from './screenshots.ts'
import { upload } from './upload.ts'

/** Serves the daemon that clients expect in every sandbox: its programs, its files, and what it says about itself. */
export function serveDaemon(app: FastifyInstance, parts: DoorParts): void {
  const { api, router, shells } = parts
  const callers = new DaemonCallers(parts)
  const watchers = new FileWatchers()
  const screenshots = new Screenshots(parts.looks, parts.log)
  api.onClose(async () => watchers.close())
  const prefix = `${daemonPrefix}/:sandboxId`

  /** Answers a request in the process that has the machine. */
  const inside = (
    request: FastifyRequest,
    reply: FastifyReply,
    user: string | undefined,
    answer: (daemon: Daemon, entered: Omit<Inside, 'actor'>, signal: AbortSignal) => Promise<FastifyReply>,
  ) =>
    router.atMachine({ member: memberOf(request), request, reply }, sandboxIdIn(request), async sandbox => {
      const entered = await router.inside(sandbox)
      const { files, guest } = entered.machine
      const asked = user === guest.user || user === '' ? undefined : user
      const operation = request.route?.operation
      const daemon: Daemon = {
        programs: new SandboxPrograms({
          shells,
          screenshots,
          inside: entered,
          user: asked,
          onStall: () => reply.raw.destroy(),
        }),
        files,
        users: new GuestUsers(files, guest.home),
        user: asked,
        watchers: {
          add: (changes, stop) => watchers.add(sandbox.id, changes, stop),
          take: id => watchers.take(sandbox.id, id),
          remove: id => watchers.remove(sandbox.id, id),
        },
        record: async () => operation && api.record(operation, request, sandbox.id),
      }
      return answer(daemon, entered, disconnectSignal(reply))
    })

  const configOf = (operation: Operation, identify = callers.byToken) => ({
    access: { to: 'organization', role: 'member', trial: true } as const,
    ownOrganization: true as const,
    streamsBody: true as const,
    operation,
    identify,
  })

  app.register(async scope => {
    passBodiesThrough(scope)
    const isMethod = ({ url }: FastifyRequest) => /\/(process\.Process|filesystem\.Filesystem)\//.test(url)
    scope.setErrorHandler((error, request, reply) => {
      const known = noteError(fileError(error), request, reply)
      const { status, type, body } = refusalOf(
        known,
        isMethod(request),
        request.headers['content-type'] ?? '',
      )
      reply.code(status).type(type).send(body)
    })

    for (const method of connectMethods({ closing: api.closing, known: fileError }))
      scope.post(
        `${prefix}${method.requestPath}`,
        { config: configOf(operationOf(method.method.name)) },
        (request, reply) =>
          inside(request, reply, userIn(request.headers.authorization), (daemon, _entered, signal) =>
            answerMethod(method, request, reply, daemon, { signal, closing: api.closing }),
          ),
      )

    const get = { exposeHeadRoute: false } as const
    scope.get(
      `${prefix}/health`,
      { ...get, config: configOf(protocol.getSandboxStatus) },
      async (request, reply) => {
        const { status } = await router.find(memberOf(request), sandboxIdIn(request))
        if (status !== 'RUNNING')
          throw new ApiError('sandbox.STATE', { message: `The sandbox is ${status}.` })
        return reply.code(204).send()
      },
    )
    scope.get(
      `${prefix}/metrics`,
      { ...get, config: configOf(protocol.getSandboxFigures) },
      async (request, reply) => {
        const params = { orgId: memberOf(request).organization.id, sandboxId: sandboxIdIn(request) }
        try {
          const { created_at } = await router.find(memberOf(request), params.sandboxId)
          const figures = await api.call(protocol.getSandboxFigures, request, reply, { params })
          const metric = metricView(figures, created_at.toISOString())
          return {
            ts: metric.timestampUnix,
            cpu_count: metric.cpuCount,
            cpu_used_pct: metric.cpuUsedPct,
            mem_total: metric.memTotal,
            mem_used: metric.memUsed,
            disk_total: metric.diskTotal,
            disk_used: metric.diskUsed,
          }
        } catch (error) {
          if (error instanceof AnsweredElsewhere) return reply
          throw error
        }
      },
    )
    scope.get(`${prefix}/envs`, { ...get, config: configOf(protocol.execSandboxProcess) }, (request, reply) =>
      inside(request, reply, undefined, async (daemon, { machine }, signal) => {
        await daemon.record()
        return reply.send(await environmentOf(machine, signal))
      }),
    )
    const readConfig = configOf(protocol.readSandboxFile, callers.byTokenOrSignature)
    scope.get(`${prefix}/files`, { ...get, config: readConfig }, (request, reply) => {
      const { path, username } = parseInput(FileQuery, request.query, 'query')
      return inside(request, reply, username, async ({ files, users, user }, _entered, signal) => {
        const options = { signal, ...(user !== undefined && { user }) }
        const at = users.resolve(path, user)
        const small = isScreenshot(at) ? await openSmall(files, at, options) : undefined
        return sendContent(request, reply, small ?? (await files.open(at, options)))
      })
    })
    const writeConfig = configOf(protocol.writeSandboxFile, callers.byTokenOrSignature)
    scope.post(`${prefix}/files`, { config: writeConfig }, (request, reply) => {
      const { path, username } = parseInput(FileQuery, request.query, 'query')
      return inside(request, reply, username, async (daemon, _entered, signal) => {
        await daemon.record()
        return reply.send(await upload(request, daemon, path, signal))
      })
    })
    scope.all(`${prefix}/*`, { config: configOf(protocol.getSandbox) }, async (request, reply) => {
      const { status, type, body } = unknownMethod(
        request.url.split('?', 1)[0]?.slice(daemonPrefix.length) ?? '',
      )
      return reply.code(status).type(type).send(body)
    })
  })
}
