import type { Operation } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { OrganizationPrincipal } from '../../../auth/principal.ts'
import { type Api, disconnectSignal } from '../../../http/api.ts'
import type { CallInput } from '../../../http/operation-call.ts'
import { memberOf } from '../member.ts'

/** A call of a client to the control plane, which becomes calls of our own operations. */
export class ControlCall {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly member: OrganizationPrincipal
  readonly #api: Api
  #signal: AbortSignal | undefined

  constructor(api: Api, request: FastifyRequest, reply: FastifyReply) {
    this.#api = api
    this.request = request
    this.reply = reply
    this.member = memberOf(request)
  }

  get orgId(): string {
    return this.member.organization.id
  }

  /** The id of the sandbox, template or snapshot in the path. */
  get id(): string {
    const { id = '' } = this.request.params as { readonly id?: string }
    return id
  }

  get signal(): AbortSignal {
    this.#signal ??= disconnectSignal(this.reply)
    return this.#signal
  }

  /** The parameters of an operation on the sandbox in the path. */
  get sandbox(): { readonly orgId: string; readonly sandboxId: string } {
    return { orgId: this.orgId, sandboxId: this.id }
  }

  native<Path extends string, Query extends z.ZodType, Body extends z.ZodType, Response extends z.ZodType>(
    operation: Operation<Path, Query, Body, Response>,
    input: CallInput<Path, z.input<Query>, z.input<Body>>,
  ): Promise<z.output<Response>> {
    return this.#api.call(operation, this.request, this.reply, input)
  }
}
