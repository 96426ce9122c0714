/**
 * Every error of the service. `message` says what is wrong, `hint` what would mend it; an answer's `message` is
 * both, unless the place that refuses knows better words for what is wrong.
 */
export const errors = {
  'request.INVALID': {
    status: 400,
    message: 'The request does not validate.',
    hint: 'Mend the fields listed in issues.',
  },
  'request.MALFORMED': {
    status: 400,
    message: 'The request is not well-formed.',
    hint: 'Mend the URL, the headers or the framing of the request.',
  },
  'request.MALFORMED_JSON': {
    status: 400,
    message: 'The body is not JSON.',
    hint: 'Send a JSON document in UTF-8, or no body.',
  },
  'request.HOST_NOT_ALLOWED': {
    status: 403,
    message: 'The service does not answer for this Host.',
    hint: 'Call it by localhost or by SANDGLASS_PUBLIC_URL, or set SANDGLASS_ALLOWED_HOSTS.',
  },
  'request.ORIGIN_NOT_ALLOWED': {
    status: 403,
    message: 'Web pages of this Origin may not call the service.',
    hint: 'Call it from no page, from a page of the service itself, or set SANDGLASS_CORS_ORIGINS.',
  },
  'request.HEADERS_TOO_LARGE': {
    status: 431,
    message: 'The headers of the request are too large.',
    hint: 'Send less than 16 KiB of them.',
  },
  'request.TIMEOUT': {
    status: 408,
    message: 'The request did not arrive in time.',
    hint: 'Send it again, faster.',
  },
  'request.BODY_TOO_LARGE': {
    status: 413,
    message: 'The body is too large.',
    hint: 'Send less; most operations take up to 1 MiB.',
  },
  'request.UNSUPPORTED_MEDIA_TYPE': {
    status: 415,
    message: 'The body is of a type that the service does not read.',
    hint: 'Send Content-Type: application/json.',
  },
  'route.NOT_FOUND': {
    status: 404,
    message: 'There is no such path.',
    hint: '/openapi.json lists every operation.',
  },
  'route.METHOD_NOT_ALLOWED': {
    status: 405,
    message: 'The path does not take this method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  'auth.MISSING': {
    status: 401,
    message: 'No credential was sent.',
    hint: 'Send X-Api-Key, Authorization: Bearer or X-Trial-Session-Token.',
  },
  'auth.AMBIGUOUS': {
    status: 401,
    message: 'More than one credential was sent.',
    hint: 'Send exactly one of X-Api-Key, Authorization and X-Trial-Session-Token.',
  },
  'auth.INVALID': {
    status: 401,
    message: 'The credential is not valid: it is unknown, expired or revoked.',
    hint: 'Use another, or ask an admin of the organization for a new one.',
  },
  'auth.FORBIDDEN': {
    status: 403,
    message: 'The role of this credential is too low.',
    hint: 'Use a credential with the role that the message names.',
  },
  'auth.OPERATOR_ONLY': {
    status: 403,
    message: 'Only the operator of the service may do this.',
    hint: "Use the operator's key.",
  },
  'auth.NOT_FOR_TRIALS': {
    status: 403,
    message: 'A trial session may not do this.',
    hint: 'Use an API key of the organization.',
  },
  'rate.LIMITED': {
    status: 429,
    message: 'Too many requests with this credential.',
    hint: 'Wait for the seconds in Retry-After.',
  },
  'rate.TOO_MANY_FAILURES': {
    status: 429,
    message: 'Too many invalid credentials from this address.',
    hint: 'Wait for the seconds in Retry-After, and check the credential.',
  },
  'idempotency.KEY_REUSED': {
    status: 409,
    message: 'This Idempotency-Key was used for another request.',
    hint: 'Use a new key for a new request.',
  },
  'idempotency.IN_PROGRESS': {
    status: 409,
    message: 'A request with this Idempotency-Key is still under way.',
    hint: 'Repeat it in a moment.',
  },
  'organization.NOT_FOUND': {
    status: 404,
    message: 'There is no such organization.',
    hint: 'Check the organization id.',
  },
  'organization.NOT_EMPTY': {
    status: 409,
    message: 'The organization has sandboxes.',
    hint: 'Delete them first.',
  },
  'plan.NOT_FOUND': { status: 404, message: 'There is no such plan.', hint: 'listPlans lists the plans.' },
  'plan.EXISTS': {
    status: 409,
    message: 'There is a plan of this name.',
    hint: 'Choose another name, or update that plan.',
  },
  'plan.IN_USE': {
    status: 409,
    message: 'An organization has this plan.',
    hint: 'Give those organizations another plan first.',
  },
  'project.NOT_FOUND': {
    status: 404,
    message: 'There is no such project.',
    hint: 'listProjects lists the projects.',
  },
  'project.DEFAULT': {
    status: 409,
    message: 'The default project cannot be deleted.',
    hint: 'Delete another project, or leave it.',
  },
  'project.NOT_EMPTY': {
    status: 409,
    message: 'The project has sandboxes or MCP servers.',
    hint: 'Delete them first.',
  },
  'project.TOO_MANY': {
    status: 409,
    message: 'The organization has as many projects as it may.',
    hint: 'Delete some first.',
  },
  'apiKey.NOT_FOUND': {
    status: 404,
    message: 'There is no such API key.',
    hint: 'listApiKeys lists the keys.',
  },
  'apiKey.ROLE_TOO_HIGH': {
    status: 403,
    message: "The key's role is above the caller's own.",
    hint: 'Choose a lower role, or call with a higher one.',
  },
  'apiKey.TOO_MANY': {
    status: 409,
    message: 'The organization has as many API keys as it may.',
    hint: 'Revoke some first.',
  },
  'trialToken.NOT_FOUND': {
    status: 404,
    message: 'There is no such trial token.',
    hint: 'listTrialTokens lists the tokens.',
  },
  'trialToken.TOO_MANY': {
    status: 409,
    message: 'The organization has as many trial tokens as it may.',
    hint: 'Revoke some first.',
  },
  'shape.NOT_FOUND': {
    status: 400,
    message: 'There is no such shape.',
    hint: 'listShapes lists the shapes.',
  },
  'shape.PLAN_TOO_LOW': {
    status: 403,
    message: "The organization's plan does not reach this shape.",
    hint: 'Choose another shape, or ask the operator for a higher plan.',
  },
  'sandbox.NOT_FOUND': {
    status: 404,
    message: 'There is no such sandbox.',
    hint: 'listSandboxes lists the sandboxes.',
  },
  'sandbox.STATE': {
    status: 409,
    message: 'The state of the sandbox does not allow this.',
    hint: 'getSandboxStatus tells its status.',
  },
  'sandbox.UNREACHABLE': {
    status: 503,
    message: 'The machine of the sandbox is not at hand right now, and nothing was done.',
    hint: 'Repeat the request after the seconds in Retry-After.',
  },
  'sandbox.TOO_MANY': {
    status: 409,
    message: 'As many sandboxes run as the plan or the trial allows.',
    hint: 'Delete one first.',
  },
  'sandbox.LIFE_TOO_LONG': {
    status: 409,
    message: 'A sandbox lives 13 days at the most.',
    hint: 'Ask for less, or make a new one.',
  },
  'sandbox.TAKEN_OVER': {
    status: 409,
    message: 'A person has the control of this sandbox, and nothing was done.',
    hint: 'Looking is allowed. Wait until the person hands back, or call setSandboxControl with the holder agent.',
  },
  'mcpServer.NOT_FOUND': {
    status: 404,
    message: 'There is no such MCP server.',
    hint: 'listMcpServers lists the servers.',
  },
  'mcpServer.TOO_MANY': {
    status: 409,
    message: 'The organization has as many MCP servers as it may.',
    hint: 'Delete some first.',
  },
  'mcpServer.SANDBOX_GONE': {
    status: 409,
    message: 'The sandbox was deleted while the call was running.',
    hint: 'Call again: the server makes a new sandbox, with none of the files of the old one.',
  },
  'mcpServer.SANDBOX_ELSEWHERE': {
    status: 403,
    message: 'The sandbox of this MCP server is one that this trial session did not make.',
    hint: 'Use a server whose sandbox this session made, or a credential of the organization.',
  },
  'action.INVALID': {
    status: 400,
    message: 'The action cannot be done on this screen, and nothing was done.',
    hint: 'Mend the action.',
  },
  'action.UNFIT': {
    status: 400,
    message: 'This kind of machine cannot do this action.',
    hint: 'Choose one of those that fit.',
  },
  'action.ELEMENT': {
    status: 409,
    message: 'The element is not on the screen as it was named, and nothing was done.',
    hint: 'Ask for the tree again with includeUiTree, and name the element as it is now.',
  },
  'action.TOO_MANY': {
    status: 429,
    message: 'As many actions wait for this sandbox as may.',
    hint: 'Wait for some of them to be done.',
  },
  'machine.NO_ANSWER': {
    status: 504,
    message: 'The desktop of the machine did not answer.',
    hint: 'Repeat the request, or restart the sandbox.',
  },
  'process.CANNOT_START': {
    status: 400,
    message: 'The program could not be started.',
    hint: 'Name a program that the user can run, or its full path, and a folder that is there.',
  },
  'shell.NOT_FOUND': {
    status: 404,
    message: 'There is no such shell.',
    hint: 'Start one; a shell goes with its sandbox, a restart of the service, and when nobody uses it.',
  },
  'shell.FINISHED': {
    status: 409,
    message: 'The command has finished, or its input was closed.',
    hint: 'Start another shell.',
  },
  'shell.INPUT_FULL': {
    status: 409,
    message: 'The command does not read its input, and no more of it is kept; nothing was written.',
    hint: 'Repeat the request when the command has read some of it.',
  },
  'shell.NO_TERMINAL': {
    status: 409,
    message: 'The shell has no terminal.',
    hint: 'Start it with useTty.',
  },
  'shell.TOO_MANY': {
    status: 409,
    message: 'As many shells run in this sandbox as may.',
    hint: 'Terminate one first.',
  },
  'application.NOT_FOUND': {
    status: 404,
    message: 'There is no such application.',
    hint: 'listApplications lists the applications.',
  },
  'application.UNAVAILABLE': {
    status: 409,
    message: 'This service fetches no packages, so it installs no applications.',
    hint: 'Ask the operator.',
  },
  'operation.NOT_FOUND': {
    status: 404,
    message: 'There is no such operation in this sandbox.',
    hint: 'installSandboxApplication answers with the id of its operation.',
  },
  'machine.NO_CAPACITY': {
    status: 503,
    message: 'There is no room for one more machine now, and none was made.',
    hint: 'Repeat the request after the seconds in Retry-After.',
  },
  'machine.NOT_READY': {
    status: 503,
    message: 'The machines of this shape cannot be made yet.',
    hint: 'Repeat the request after the seconds in Retry-After.',
  },
  'machine.FAILED': {
    status: 500,
    message: 'The machine did not do as it was told.',
    hint: 'Repeat the request, or delete the sandbox.',
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
    message: 'The process that has this machine or screenshot does not answer.',
    hint: 'Repeat the request after the seconds in Retry-After.',
  },
  'node.DISK_FULL': {
    status: 503,
    message: 'The disk of the host is full or failing, and nothing was stored.',
    hint: 'Repeat the request after the seconds in Retry-After; the operator has to free disk space.',
  },
  'file.NOT_FOUND': {
    status: 404,
    message: 'There is no such file or folder in the sandbox.',
    hint: 'Check the path; one that does not begin with / counts from the home of the user.',
  },
  'file.DENIED': {
    status: 403,
    message: "The sandbox's user may not do this.",
    hint: 'Choose a place that is writable, or change its rights inside the sandbox.',
  },
  'file.INVALID': {
    status: 400,
    message: 'The path cannot be used.',
    hint: 'Mend the path.',
  },
  'file.WRONG_KIND': {
    status: 409,
    message: 'The path names a folder where a file is needed, or the other way round, or neither.',
    hint: 'Name a regular file, or a folder where the operation is about folders.',
  },
  'file.EXISTS': {
    status: 409,
    message: 'There is something of this name already.',
    hint: 'Choose another name, or remove what is there.',
  },
  'file.NO_SPACE': {
    status: 409,
    message: "The sandbox's disk is full.",
    hint: 'Remove what is not needed, or use a shape with a larger disk.',
  },
  'file.FAILED': {
    status: 409,
    message: 'The sandbox could not do this with the file.',
    hint: 'Look at the file inside the sandbox, and repeat the request.',
  },
  'file.RANGE': {
    status: 416,
    message: 'The range lies beyond the end of the file.',
    hint: 'Content-Range tells the size of the file.',
  },
  'file.FORM': {
    status: 400,
    message: 'The body is no form with files.',
    hint: 'Send multipart/form-data with at least one file, as curl -F file=@name does.',
  },
  'file.COPY': {
    status: 400,
    message: 'The file was not copied.',
    hint: 'A copy goes from the sandbox or a URL to GET, to the sandbox, a URL to PUT or a form to POST.',
  },
  'outbound.INVALID': {
    status: 400,
    message: 'The URL, or a header for it, cannot be used.',
    hint: 'Give an http or https URL without a credential in it, and headers as HTTP allows them.',
  },
  'outbound.FORBIDDEN': {
    status: 400,
    message: 'The URL leads to a private or reserved network, which the service does not call.',
    hint: 'Give a public URL, or ask the operator to allow the network by SANDGLASS_OUTBOUND_PRIVATE.',
  },
  'outbound.FAILED': {
    status: 400,
    message: 'The URL did not do what it was given for.',
    hint: 'Check the URL, and that it is still valid.',
  },
  'screenshot.NOT_FOUND': {
    status: 404,
    message: 'There is no such screenshot: its URL is wrong or has expired.',
    hint: 'Take a new one.',
  },
  'screenshot.FAILED': {
    status: 500,
    message: 'The screenshot could not be encoded or stored.',
    hint: 'Take a new one.',
  },
  'mapping.NOT_FOUND': {
    status: 404,
    message: 'There is no such mapping.',
    hint: 'listHttpMappings lists the mappings of a sandbox, createHttpMapping makes one.',
  },
  'mapping.TOO_MANY': {
    status: 409,
    message: 'The sandbox has as many mappings as it may.',
    hint: 'Delete some first.',
  },
  'mapping.UNAUTHORIZED': {
    status: 401,
    message: 'The access token of the mapping is missing or wrong.',
    hint: "Send the mapping's accessToken as X-Sandglass-Mapping-Token, or open the URL with ?sandglass_token=.",
  },
  'mapping.NOT_RUNNING': {
    status: 503,
    message: 'The sandbox of this mapping does not run.',
    hint: 'Wait until it is RUNNING; resumeSandbox or restartSandbox brings back one that is STOPPED.',
  },
  'mapping.NOT_LISTENING': {
    status: 502,
    message: 'Nothing in the sandbox takes connections on the port of this mapping.',
    hint: 'Start the program there, or wait until it listens.',
  },
  'mapping.BAD_ANSWER': {
    status: 502,
    message: 'What listens in the sandbox did not answer in HTTP/1.1.',
    hint: 'Mend the program there; its answer must be well-formed and its headers below 16 KiB.',
  },
  'mapping.TIMEOUT': {
    status: 504,
    message: 'What listens in the sandbox did not begin to answer in time.',
    hint: 'Mend the program there, or ask it for less.',
  },
  'mapping.BUSY': {
    status: 503,
    message: 'As many requests and connections are open as the gateway allows.',
    hint: 'Close some, or repeat the request after the seconds in Retry-After.',
  },
  'live.TOKEN_INVALID': {
    status: 401,
    message: 'This is no token for this room.',
    hint: 'Take endUserToken and roomId from the same answer of getSandbox.',
  },
  'live.TOKEN_EXPIRED': {
    status: 401,
    message: 'The token has expired.',
    hint: 'Ask getSandbox for another; renew it over the connection before its end.',
  },
  'live.TOKEN_REVOKED': {
    status: 401,
    message:
      "The token has ended: it, its invitation, its room's tokens or the credential that got it were revoked.",
    hint: 'Ask for another with a credential that holds.',
  },
  'live.ROOM_GONE': {
    status: 404,
    message: 'The sandbox of this room has ended.',
    hint: 'listSandboxes lists those that are there.',
  },
  'live.ELSEWHERE': {
    status: 409,
    message: 'The machine of this room is on another process of the service.',
    hint: 'Connect to the addresses that getSandbox lists now.',
  },
  'live.PROTOCOL': {
    status: 400,
    message: 'What was sent is not the live protocol.',
    hint: 'docs/live-protocol.md tells it byte by byte.',
  },
  'live.NO_HELLO': {
    status: 408,
    message: 'No hello came in time.',
    hint: 'Send it as the first frame, within ten seconds.',
  },
  'live.TOO_FAST': {
    status: 429,
    message: 'More frames came than a person can send.',
    hint: 'Join pointer moves that follow each other, and send less often.',
  },
  'live.STALLED': {
    status: 408,
    message: 'Nothing was read from this connection, or heard on it, for too long.',
    hint: 'Connect again.',
  },
  'live.FULL': {
    status: 503,
    message: 'There are as many viewers as there may be.',
    hint: 'Try again after a while; SANDGLASS_ROOM_VIEWERS and SANDGLASS_LIVE_VIEWERS set the limits.',
  },
  'live.CLOSING': {
    status: 503,
    message: 'The service is stopping.',
    hint: 'Connect again after a moment.',
  },
  'live.SCOPE_TOO_WIDE': {
    status: 403,
    message: 'The scope has rights that the caller does not have.',
    hint: 'A viewer may view, a member also use input and clipboard, an admin also force.',
  },
  'live.INVITATION_NOT_FOUND': {
    status: 404,
    message: 'There is no such invitation, or not any longer.',
    hint: 'Ask whoever sent it for another.',
  },
  'live.TOO_MANY_INVITATIONS': {
    status: 409,
    message: 'The sandbox has as many invitations as it may.',
    hint: 'Revoke some first.',
  },
  'parser.UNKNOWN_TYPE': {
    status: 404,
    message: 'There is no parser of this type.',
    hint: 'listParserTypes lists the types.',
  },
  'service.INTERNAL': {
    status: 500,
    message: 'The service failed.',
    hint: 'Repeat the request; if it fails again, give the operator the requestId.',
  },
  'service.OUTCOME_UNKNOWN': {
    status: 504,
    message: 'The database did not confirm the change: it may or may not have been made.',
    hint: 'Look whether it was made before you repeat it; a repeat with the same Idempotency-Key is always safe.',
  },
  'service.UNAVAILABLE': {
    status: 503,
    message: 'The service cannot do this now, and nothing was done.',
    hint: 'Repeat the request after the seconds in Retry-After.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>

export interface ErrorDefinition {
  readonly status: number
  readonly message: string
  readonly hint: string
}

export type ErrorCode = keyof typeof errors
