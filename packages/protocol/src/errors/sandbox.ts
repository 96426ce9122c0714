import type { ErrorDefinition } from './definition.ts'

/** Errors of sandboxes and of the machines and nodes that they run on. */
export const sandboxErrors = {
  'sandbox.NOT_FOUND': {
    status: 404,
    message: 'This sandbox does not exist.',
    hint: 'Call listSandboxes to see the sandboxes of the organization.',
  },
  'sandbox.STATE': {
    status: 409,
    message: 'This is not possible in the current state of the sandbox.',
    hint: 'Call getSandboxStatus to see its status.',
  },
  'sandbox.LACKS_AGENT': {
    status: 409,
    message: 'The system in this sandbox has no agent that could do this.',
    hint: 'Use its screen, keyboard and mouse; install qemu-guest-agent in it if it has none; or choose an image with the agent of this service.',
  },
  'sandbox.UNREACHABLE': {
    status: 503,
    message: "The sandbox's machine cannot be reached right now, and nothing was done.",
    hint: 'Retry after the number of seconds in Retry-After.',
  },
  'sandbox.WAKING': {
    status: 503,
    message: 'The sandbox is still waking up, and nothing was done.',
    hint: 'Retry after the number of seconds in Retry-After.',
  },
  'sandbox.TOO_MANY': {
    status: 409,
    message: 'The plan or the trial has reached its maximum number of running sandboxes.',
    hint: 'Delete a sandbox first.',
  },
  'sandbox.LIFE_TOO_LONG': {
    status: 409,
    message: 'A sandbox can live for at most 13 days.',
    hint: 'Choose a shorter time, or create a new sandbox.',
  },
  'sandbox.TAKEN_OVER': {
    status: 409,
    message: 'A person is in control of this sandbox, and nothing was done.',
    hint: 'Read-only operations still work. Wait until the person hands control back, or call setSandboxControl with the holder agent.',
  },
  'mcpServer.NOT_FOUND': {
    status: 404,
    message: 'This MCP server does not exist.',
    hint: 'Call listMcpServers to see the servers of the organization.',
  },
  'mcpServer.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of MCP servers.',
    hint: 'Delete a server first.',
  },
  'mcpServer.SANDBOX_GONE': {
    status: 409,
    message: 'The sandbox was deleted while the call was running.',
    hint: 'Call again: the server creates a new sandbox, which has none of the files of the old one.',
  },
  'mcpServer.SANDBOX_ELSEWHERE': {
    status: 403,
    message: 'This MCP server uses a sandbox that this trial session did not make.',
    hint: 'Use a server whose sandbox was created by this session, or use a credential of the organization.',
  },
  'machine.NO_ANSWER': {
    status: 504,
    message: "The machine's desktop did not answer.",
    hint: 'Retry, or restart the sandbox.',
  },
  'machine.NO_CAPACITY': {
    status: 503,
    message: 'There is no capacity for another machine right now, and none was created.',
    hint: 'Retry after the number of seconds in Retry-After.',
  },
  'machine.NOT_READY': {
    status: 503,
    message: 'Machines of this shape cannot be created yet.',
    hint: 'Retry after the number of seconds in Retry-After.',
  },
  'machine.FAILED': {
    status: 500,
    message: 'The machine failed to do what was requested.',
    hint: 'Retry, or delete the sandbox.',
  },
  'node.NOT_FOUND': {
    status: 404,
    message: 'There is no such node.',
    hint: 'listNodes lists the nodes.',
  },
  'node.IN_USE': {
    status: 409,
    message: 'The node is in use.',
    hint: 'Drain it, wait until it has no sandboxes, and remove it then.',
  },
  'node.GONE': {
    status: 503,
    message: 'The node that has this machine or screenshot does not answer.',
    hint: 'Retry after the number of seconds in Retry-After.',
  },
  'node.DISK_FULL': {
    status: 503,
    message: 'The disk of the host is full or failing, and nothing was stored.',
    hint: 'Retry after the number of seconds in Retry-After; the operator has to free disk space.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
