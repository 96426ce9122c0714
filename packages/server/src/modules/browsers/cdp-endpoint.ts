import { ApiError } from '@sandglass/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireSocket, type SocketResponse } from '../../http/socket-response.ts'
import type { SocketRoutes } from '../../http/socket-routes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import type { TunnelService } from '../tunnels/tunnel-service.ts'
import type { BrowserAccess, BrowserGuest } from './browser-access.ts'
import { BrowserSocket } from './browser-socket.ts'
import { DebuggingPort } from './debugging-port.ts'
import type { DrivenBrowsers } from './driven-browsers.ts'
import { publicTargets } from './public-targets.ts'

export interface CdpParts {
  readonly router: SandboxRouter
  readonly sockets: SocketRoutes
  readonly tunnels: TunnelService
  readonly access: BrowserAccess
  readonly browsers: DrivenBrowsers
}

interface PagePath {
  readonly token: string
  readonly kind: string
  readonly id: string
}

/** What a debugging port serves below /json, except for its pages: those would have the origin of the service. */
const served = /^(version|list|protocol|new|(activate|close)\/[\w-]+)?$/
/** These answers contain addresses. */
const withTargets = new Set(['', 'version', 'list', 'new'])

/**
 * Serves the browsers of sandboxes to whoever has one of their URLs: /cdp/{token} is the WebSocket of the browser, and below it is
 * what a debugging port serves. Whoever comes in starts a browser that does not run, and wakes a sandbox whose rules say so.
 */
export function addCdpEndpoint(app: FastifyInstance, parts: CdpParts): void {
  const { router, sockets, tunnels, access, browsers } = parts
  const config = { secretPath: true, long: true } as const
  const options = { config, exposeHeadRoute: false }
  sockets.add({ path: '/cdp/{token}' })
  sockets.add({ path: '/cdp/{token}/devtools/{kind}/{id}' })

  app.get<{ Params: { token: string } }>('/cdp/:token', options, (request, reply) =>
    open(request, reply, request.params.token),
  )
  app.get<{ Params: PagePath }>('/cdp/:token/devtools/:kind/:id', options, (request, reply) => {
    const { token, kind, id } = request.params
    if (!/^\w+$/.test(kind) || !/^[\w-]+$/.test(id)) throw new ApiError('browser.NOT_FOUND')
    return open(request, reply, token, `/devtools/${kind}/${id}`)
  })
  for (const url of ['/cdp/:token/json', '/cdp/:token/json/*'])
    app.route<{ Params: { token: string; '*'?: string } }>({
      method: ['GET', 'PUT'],
      url,
      config,
      handler: (request, reply) => ask(request, reply, request.params.token, request.params['*'] ?? ''),
    })

  async function open(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    path?: string,
  ): Promise<FastifyReply> {
    const guest = await access.admit(token)
    const response = requireSocket(reply)
    return router.here({ request, reply }, guest.sandbox, async () => {
      const end = router.work.begin(guest.sandbox, 'call')
      return await join(request, reply, response, guest, path).finally(end)
    })
  }

  /** Settles when the WebSocket is open. */
  async function join(
    request: FastifyRequest,
    reply: FastifyReply,
    response: SocketResponse,
    { sandbox, epoch, leftMs, enter }: BrowserGuest,
    path?: string,
  ): Promise<FastifyReply> {
    const place = tunnels.take(sandbox)
    try {
      const { machine } = await router.inside(sandbox)
      const browser = await browsers.running(machine)
      const { promise, resolve, reject } = Promise.withResolvers<FastifyReply>()
      let leave = () => {}
      const socket = new BrowserSocket(request.raw, response, {
        port: new DebuggingPort(machine, browser.port),
        path: path ?? browser.path,
        epoch,
        onOpen: () => {
          reply.code(101)
          request.server.answers.send(request, reply, response)
          tunnels.hold(sandbox.id, place, socket)
          resolve(reply.hijack())
        },
        onRefused: reject,
        onUse: () => tunnels.used(sandbox.id, place),
        onEnd: () => {
          clearTimeout(expiry)
          leave()
          place.leave()
          reject(new Error('the caller went away'))
        },
      })
      const expiry = setTimeout(() => socket.close(), leftMs)
      leave = enter(() => socket.close())
      socket.start()
      return await promise
    } catch (error) {
      place.leave()
      throw error
    }
  }

  async function ask(
    request: FastifyRequest,
    reply: FastifyReply,
    token: string,
    rest: string,
  ): Promise<FastifyReply> {
    const { sandbox } = await access.admit(token)
    const name = rest.replace(/\/$/, '')
    if (!served.test(name)) throw app.unrouted.refusal(request, reply)
    return router.here({ request, reply }, sandbox, async () => {
      reply.raw.once('close', router.work.begin(sandbox, 'call'))
      const { machine } = await router.inside(sandbox)
      await using port = new DebuggingPort(machine, (await browsers.running(machine)).port)
      const asked = request.url.indexOf('?')
      const query = asked < 0 ? '' : request.url.slice(asked)
      const { status, body } = await port.ask(
        request.method === 'PUT' ? 'PUT' : 'GET',
        `/json/${name}${query}`,
      )
      const isJson = status === 200 && !/^(activate|close)/.test(name)
      const hasTargets = isJson && withTargets.has(name)
      return reply
        .code(status >= 200 && status < 600 ? status : 502)
        .headers({
          'content-type': `${isJson ? 'application/json' : 'text/plain'}; charset=utf-8`,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .send(hasTargets ? publicTargets(body, access.urlsOf(token).ws) : body)
    })
  }
}
