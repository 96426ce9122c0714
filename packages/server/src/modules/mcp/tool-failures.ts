import type { CallToolResult } from '@modelcontextprotocol/server'
import { ApiError } from '@sandglass/protocol'
import { ToolError } from '@sandglass/protocol/tools'
import type { FastifyBaseLogger } from 'fastify'
import { asApiError } from '../../db/faults.ts'
import { failureOf } from '../actions/failures.ts'
import { messageForAssistant } from './assistant-hints.ts'

/** Turns the failure of a tool into a result that the model can read. */
export function resultOfFailure(error: unknown, log: FastifyBaseLogger): CallToolResult {
  if (error instanceof ToolError) return errorResult(error.message)
  const known = error instanceof ApiError ? error : (asApiError(error) ?? failureOf(error))
  if (known.status >= 500) log.warn({ error }, 'a tool call failed')
  return errorResult(messageForAssistant(known), known.code)
}

function errorResult(text: string, code?: string): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text }],
    ...(code && { _meta: { 'sandglass/code': code } }),
  }
}
