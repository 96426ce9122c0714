import type { ErrorDefinition } from './definition.ts'

/**
 * Errors of mappings and of the live view.
 *
 * Pages that embed the live view may show the texts of `live.*` to viewers, who may not be programmers. Those that a viewer can
 * run into therefore name no operations, headers or settings; docs/live-protocol.md says what a client should do.
 */
export const liveErrors = {
  'mapping.NOT_FOUND': {
    status: 404,
    message: 'This mapping does not exist.',
    hint: "Call listHttpMappings to see a sandbox's mappings, or createHttpMapping to add one.",
  },
  'mapping.TOO_MANY': {
    status: 409,
    message: 'The sandbox has reached its maximum number of mappings.',
    hint: 'Delete a mapping first.',
  },
  'mapping.UNAUTHORIZED': {
    status: 401,
    message: "The mapping's access token is missing or wrong.",
    hint: "Send the mapping's accessToken as X-Gateway-Access-Token, or open the URL with ?x-gateway-access-token=.",
  },
  'mapping.NOT_RUNNING': {
    status: 503,
    message: "This mapping's sandbox is not running.",
    hint: 'Wait until it is RUNNING; if it is STOPPED, call resumeSandbox or restartSandbox.',
  },
  'mapping.NOT_LISTENING': {
    status: 502,
    message: "Nothing in the sandbox is listening on this mapping's port.",
    hint: 'Start the program there, or wait until it is listening.',
  },
  'mapping.BAD_ANSWER': {
    status: 502,
    message: 'The program in the sandbox did not send a valid HTTP/1.1 response.',
    hint: 'Fix the program; its response must be well-formed, with headers below 16 KiB.',
  },
  'mapping.TIMEOUT': {
    status: 504,
    message: 'The program in the sandbox did not start its response in time.',
    hint: 'Fix the program, or send it a smaller request.',
  },
  'mapping.BUSY': {
    status: 503,
    message: 'The gateway has reached its maximum number of open requests and connections.',
    hint: 'Close some, or retry after the number of seconds in Retry-After.',
  },
  'tunnel.NOT_LISTENING': {
    status: 502,
    message: 'Nothing in the sandbox is listening on this port.',
    hint: 'Start the program there, or wait until it is listening.',
  },
  'tunnel.NO_ADB': {
    status: 409,
    message: 'This sandbox has no adbd that can be tunnelled to.',
    hint: 'Use a port instead of adb, or a sandbox of the phone simulator.',
  },
  'tunnel.TOO_MANY': {
    status: 429,
    message: 'The maximum number of open tunnels is reached.',
    hint: 'Close some, or retry after the number of seconds in Retry-After.',
  },
  'tunnel.RESET': {
    status: 502,
    message: 'The program in the sandbox has reset the connection.',
    hint: 'Check whether it is still running, and connect again.',
  },
  'live.TOKEN_INVALID': {
    status: 401,
    message: 'This link does not give access to this sandbox.',
    hint: 'Check that the whole link was copied, or ask for a new one.',
  },
  'live.TOKEN_EXPIRED': {
    status: 401,
    message: 'Your access to this sandbox has expired.',
    hint: 'Open the page again, or ask for a new link.',
  },
  'live.TOKEN_REVOKED': {
    status: 401,
    message: 'Your access to this sandbox was revoked.',
    hint: 'Ask the person who shared it for a new link.',
  },
  'live.ROOM_GONE': {
    status: 404,
    message: 'This sandbox has ended.',
    hint: 'Open the link of a sandbox that is running.',
  },
  'live.PROTOCOL': {
    status: 400,
    message: 'The connection sent data that is not part of the live protocol.',
    hint: 'See docs/live-protocol.md.',
  },
  'live.NO_HELLO': {
    status: 408,
    message: 'The connection did not send its hello in time.',
    hint: 'Send it as the first frame, within ten seconds.',
  },
  'live.TOO_FAST': {
    status: 429,
    message: 'The connection sent more input than a person can produce.',
    hint: 'Combine consecutive pointer moves, and send less often.',
  },
  'live.STALLED': {
    status: 408,
    message: 'The connection was silent for too long.',
    hint: 'Connect again.',
  },
  'live.FULL': {
    status: 503,
    message: 'This sandbox or this service has reached its maximum number of viewers.',
    hint: 'Try again later, or ask the operator to allow more viewers.',
  },
  'live.CLOSING': {
    status: 503,
    message: 'The service is stopping.',
    hint: 'Connect again in a moment.',
  },
  'live.SCOPE_TOO_WIDE': {
    status: 403,
    message: 'The scope includes rights that the caller does not have.',
    hint: 'A viewer can use view; a member can also use input and clipboard; an admin can also use force.',
  },
  'live.INVITATION_NOT_FOUND': {
    status: 404,
    message: 'There is no such invitation; it may have expired or been revoked.',
    hint: 'Ask the person who sent it for a new link.',
  },
  'live.TOO_MANY_INVITATIONS': {
    status: 409,
    message: 'The sandbox has reached its maximum number of invitations.',
    hint: 'Revoke an invitation first.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
