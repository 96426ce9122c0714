import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { CliError } from '../../failures.ts'
import { type RemotePort, tunnel } from './tunnel.ts'

export interface ListenOptions {
  readonly address: string
  /** 0 takes any free one. */
  readonly port: number
  /** Called with what went wrong with one connection. The others go on. */
  readonly onFailure: (message: string) => void
}

/** A port of this computer that leads to a port of a machine. */
export interface Listener extends AsyncDisposable {
  /** `address:port`, as programs are given it. */
  readonly authority: string
  readonly port: number
}

/** Listens on a port of this computer, and tunnels each connection to a port of a machine. */
export async function listen(
  remote: RemotePort,
  { address, port, onFailure }: ListenOptions,
): Promise<Listener> {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    tunnel(socket, remote).catch((error: Error) => onFailure(error.message))
  })
  server.listen({ host: address, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw cannotListen(address, port, error)
  }
  const bound = (server.address() as AddressInfo).port
  return {
    authority: `${address.includes(':') ? `[${address}]` : address}:${bound}`,
    port: bound,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function cannotListen(address: string, port: number, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return new CliError(
      `Port ${port} of ${address} is in use on this computer.`,
      'Choose another one: 8000:5000 listens on 8000, and 0:5000 on any free port.',
    )
  if (code === 'EACCES')
    return new CliError(`Port ${port} needs the rights of root.`, 'Choose one above 1023, such as 8080:80.')
  if (code === 'EADDRNOTAVAIL')
    return new CliError(
      `${address} is not an address of this computer.`,
      'Leave --address out for 127.0.0.1.',
    )
  return error instanceof Error ? error : new Error(String(error))
}
