import type { Duplex } from 'node:stream'
import { type Endpoint, MachineError } from '@sandglass/machines/contract'
import { ApiError, openSandboxTunnel, TunnelPort } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import { z } from 'zod'
import type { Api } from '../../http/api.ts'
import { parseInput } from '../../http/input.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { accept } from './accept.ts'
import type { TunnelService } from './tunnel-service.ts'

const retrySeconds = 1

export function serveTunnels(api: Api, router: SandboxRouter, tunnels: TunnelService): void {
  api.onClose(async () => tunnels.close())

  router.serveSocket(openSandboxTunnel, async (call, sandbox, response) => {
    const { params, request, reply, signal, record } = call
    const endpoint = endpointOf(params)
    const place = tunnels.take(sandbox)
    let guest: Duplex | undefined
    try {
      const { machine } = await router.inside(sandbox)
      await record(sandbox.id)
      guest = await connect(machine, endpoint, signal)
      const webSocket = accept(response, request.id)
      if (!webSocket) throw new Error('the caller went away')
      reply.code(101)
      request.server.answers.send(request, reply, response)
      const tunnel = tunnels.join(sandbox, place, webSocket, guest, place.leave)
      response.onRevoked = () => tunnel.close(new ApiError('auth.INVALID'))
      return reply.hijack()
    } catch (error) {
      place.leave()
      guest?.destroy()
      throw error
    }
  })
}

const Target = z.object({ port: TunnelPort })

function endpointOf(params: { readonly port: string }): Endpoint {
  const { port } = parseInput(Target, params, 'path')
  return port === 'adb' ? 'adb' : `tcp:127.0.0.1:${Number(port)}`
}

/** Connects to a port before the upgrade, so that a port on which nothing listens is an error like any other. */
async function connect(machine: RunningMachine, endpoint: Endpoint, signal: AbortSignal): Promise<Duplex> {
  try {
    const guest = await machine.dial(endpoint, { signal })
    // It may fail before it is joined, and must not crash the process.
    return guest.on('error', () => {})
  } catch (cause) {
    throw cause instanceof MachineError ? failureOf(cause) : cause
  }
}

function failureOf(cause: MachineError): ApiError {
  if (cause.code === 'REFUSED') return new ApiError('tunnel.NOT_LISTENING', { cause })
  if (cause.code === 'INVALID') return new ApiError('tunnel.NO_ADB', { message: cause.message, cause })
  return new ApiError('sandbox.UNREACHABLE', { retryAfter: retrySeconds, cause })
}
