import type { Readable } from 'node:stream'
import type { CallOptions, IncusAddress } from './address.ts'
import { type Answer, isOver, type Operation, readAnswer, readOperation, readOperations } from './answers.ts'
import { Deadline } from './deadline.ts'
import { refusal } from './errors.ts'
import { type EventListener, followEvents } from './events.ts'
import type { HttpRequest } from './exchange.ts'
import { type ExecOptions, type ExecSession, openExec } from './exec/index.ts'
import { pingEveryMs } from './heartbeat.ts'
import { endOf, succeeded } from './outcome.ts'
import { pathOf } from './path.ts'
import { Transport } from './transport.ts'

export interface ClientOptions {
  /** The project of all calls that do not name another. */
  readonly project?: string
  /** The deadline of all calls that do not name another. */
  readonly deadlineMs?: number
  /** How often websockets are pinged. One that stays silent for three pings in a row is lost. */
  readonly pingEveryMs?: number
}

/** Incus accepts an operation at once, unless it waits for a member that is gone. */
const acceptedMs = 30_000

export type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Speaks Incus' REST interface. Paths are relative to /1.0. Every call has a deadline, because Incus itself may wait
 * forever for a member that is gone.
 *
 * @example
 * const incus = new IncusClient({ socket: '/var/lib/incus/unix.socket' }, { project: 'sandglass' })
 * await incus.run('PUT', '/instances/a/state', { action: 'start' }, { deadlineMs: 30_000 })
 */
export class IncusClient {
  readonly #transport: Transport
  readonly #options: Required<Omit<ClientOptions, 'project'>> & ClientOptions

  constructor(address: IncusAddress, options: ClientOptions = {}) {
    this.#transport = new Transport(address)
    this.#options = { deadlineMs: 10_000, pingEveryMs, ...options }
  }

  /** The `metadata` of what is at a path. */
  async get(path: string, options: CallOptions = {}): Promise<unknown> {
    return (await this.#call({ method: 'GET', path: this.#path(path, options) }, this.#deadline(options)))
      .metadata
  }

  /** Changes something that Incus does at once. Resolves with the `metadata` of the answer. */
  async send(method: Method, path: string, body?: object, options: CallOptions = {}): Promise<unknown> {
    return (await this.#call(this.#request(method, path, body, options), this.#deadline(options))).metadata
  }

  /**
   * Starts a background operation and waits until it has ended. An abort or the deadline ends the wait, not the
   * operation.
   */
  async run(method: Method, path: string, body?: object, options: CallOptions = {}): Promise<Operation> {
    const deadline = this.#deadline(options)
    const accepted = new Deadline(Math.min(acceptedMs, deadline.leftMs), options.signal)
    const answer = await this.#call(this.#request(method, path, body, options), accepted)
    return this.#finish(`${method} ${path}`, answer, deadline, options)
  }

  /** What is being done to an instance. Programs that run in it are not part of that. */
  async operationsOn(instance: string, options: CallOptions = {}): Promise<Operation[]> {
    const path = `/instances/${encodeURIComponent(instance)}`
    return readOperations(await this.get('/operations?recursion=1', options)).filter(
      operation =>
        !isOver(operation) &&
        operation.class === 'task' &&
        operation.resources?.['instances']?.some(one => one.replace(/^\/1\.0|\?.*/g, '') === path),
    )
  }

  /** Waits until an operation has ended, and returns how. */
  async end(operation: Operation, options: CallOptions = {}): Promise<Operation> {
    return await this.#end('An operation', operation, this.#deadline(options), options)
  }

  /** Sends content, such as an image, from a stream, and waits for the operation. */
  async upload(
    path: string,
    content: Readable,
    headers: Record<string, string>,
    options: CallOptions = {},
  ): Promise<Operation> {
    const deadline = this.#deadline(options)
    // A stream cannot be sent twice, so first find a member that answers.
    await this.#call({ method: 'GET', path: '/1.0' }, deadline)
    const request = { method: 'POST', path: this.#path(path, options), headers, body: content }
    return this.#finish(`POST ${path}`, await this.#call(request, deadline), deadline, options)
  }

  /**
   * Runs a program in an instance. Its standard input and output are one byte stream with back-pressure in both
   * directions; of its standard error the end is kept for messages. Resolves once the program has its channels.
   */
  async exec(instance: string, command: readonly string[], options: ExecOptions = {}): Promise<ExecSession> {
    const deadline = this.#deadline(options)
    const { environment, user } = options
    const path = `/instances/${encodeURIComponent(instance)}/exec`
    const body = { command, 'wait-for-websocket': true, interactive: false, environment, user }
    const { metadata } = await this.#call(this.#request('POST', path, body, options), deadline)
    const operation = readOperation(metadata)
    const what = `Running ${command[0]} in ${instance}`
    return openExec({
      what,
      operation,
      pingEveryMs: this.#options.pingEveryMs,
      open: (secret, prepare) => {
        const target = this.#path(`/operations/${operation.id}/websocket`, options, { secret })
        return this.#transport.webSocket(target, deadline, what, prepare)
      },
      end: ended => this.#end(what, operation, ended, options),
    })
  }

  /**
   * Follows the events of some types. Connects again by itself after a loss, and says so, because events in between
   * are missing.
   */
  events(types: readonly string[], listener: EventListener): { close(): void } {
    const path = this.#path('/events', {}, { type: types.join(',') })
    return followEvents(this.#transport, path, listener, this.#options)
  }

  /**
   * Whether the member at a URL answers what needs neither another member nor the database. False if members are only known by a
   * socket.
   */
  isThere(url: string, { deadlineMs = this.#options.deadlineMs }: CallOptions = {}): Promise<boolean> {
    return this.#transport.isThere(url, deadlineMs)
  }

  /** Closes idle connections. Open programs and events have to be closed on their own. */
  close(): void {
    this.#transport.close()
  }

  #deadline({ deadlineMs = this.#options.deadlineMs, signal }: CallOptions): Deadline {
    return new Deadline(deadlineMs, signal)
  }

  #path(
    path: string,
    { project = this.#options.project }: CallOptions,
    parameters?: Record<string, string>,
  ): string {
    return pathOf(path, project, parameters)
  }

  #request(method: Method, path: string, body: object | undefined, options: CallOptions): HttpRequest {
    return {
      method,
      path: this.#path(path, options),
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }
  }

  async #call(request: HttpRequest, deadline: Deadline): Promise<Answer> {
    const what = `${request.method} ${request.path.replace(/\?.*/, '')}`
    const { text, status } = await this.#transport.request(request, deadline, what)
    // A proxy in between answers without Incus' envelope.
    if (status >= 502) throw refusal(what, status, '')
    const answer = readAnswer(text)
    if (answer.type === 'error') throw refusal(what, answer.error_code || status, answer.error)
    return answer
  }

  async #finish(what: string, answer: Answer, deadline: Deadline, options: CallOptions): Promise<Operation> {
    return succeeded(what, await this.#end(what, readOperation(answer.metadata), deadline, options))
  }

  #end(what: string, operation: Operation, deadline: Deadline, options: CallOptions): Promise<Operation> {
    // The path is built from the id, because the one in the answer may carry a project of its own.
    return endOf(what, operation, deadline, async (seconds, slice) => {
      const wait = seconds === undefined ? '' : `/wait?timeout=${seconds}`
      const path = this.#path(`/operations/${operation.id}${wait}`, options)
      return readOperation((await this.#call({ method: 'GET', path }, slice)).metadata)
    })
  }
}
