import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Reads a value inside another: `at(answer, 'metadata', 'status')`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )
}

/** Sends a request to a member over its unix socket, and returns the metadata of the answer. */
export async function request(
  socketPath: string,
  method: string,
  path: string,
  body?: Json,
  timeoutMs = 60_000,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = httpRequest({ socketPath, method, path, signal, agent: false }, response =>
    text(response).then(resolve, reject),
  )
  sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  const answer: unknown = JSON.parse(await promise)
  if (at(answer, 'type') === 'error') throw new Error(`${method} ${path}: ${at(answer, 'error')}`)
  return at(answer, 'metadata')
}

/** Sends a request that starts an operation, and waits until the operation has ended. */
export async function operate(
  socketPath: string,
  method: string,
  path: string,
  body?: Json,
  timeoutMs = 60_000,
): Promise<unknown> {
  const started = await request(socketPath, method, path, body, timeoutMs)
  const id = at(started, 'id')
  if (typeof id !== 'string') return started
  const seconds = Math.ceil(timeoutMs / 1000)
  const wait = `/1.0/operations/${id}/wait?timeout=${seconds}`
  const ended = await request(socketPath, 'GET', wait, undefined, timeoutMs + 1000)
  if (at(ended, 'status_code') !== 200)
    throw new Error(`${method} ${path}: ${at(ended, 'err') || at(ended, 'status')}`)
  return ended
}
