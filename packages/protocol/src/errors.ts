/**
 * Every error that the service reports. `message` says what is wrong and `hint` says how to fix it. A response's
 * `message` contains both; the code that reports the error may replace the first part with a more specific one.
 *
 * Pages that embed the live view may show the texts of `live.*` to viewers, who may not be programmers. Those that a viewer can
 * run into therefore name no operations, headers or settings; docs/live-protocol.md says what a client should do.
 */
export const errors = {
  'request.INVALID': {
    status: 400,
    message: 'The request is not valid.',
    hint: 'Fix the fields listed in issues.',
  },
  'request.MALFORMED': {
    status: 400,
    message: 'The request is not well-formed.',
    hint: 'Fix the URL, the headers or the framing of the request.',
  },
  'request.MALFORMED_JSON': {
    status: 400,
    message: 'The body is not valid JSON.',
    hint: 'Send a JSON document encoded as UTF-8, or no body.',
  },
  'request.HOST_NOT_ALLOWED': {
    status: 403,
    message: 'The service does not accept requests for this Host.',
    hint: 'Use localhost or SANDGLASS_PUBLIC_URL, or add the host to SANDGLASS_ALLOWED_HOSTS.',
  },
  'request.ORIGIN_NOT_ALLOWED': {
    status: 403,
    message: 'Web pages from this Origin are not allowed to call the service.',
    hint: "Call it from outside a browser or from the service's own pages, or add the origin to SANDGLASS_CORS_ORIGINS.",
  },
  'request.HEADERS_TOO_LARGE': {
    status: 431,
    message: 'The request headers are too large.',
    hint: 'Keep them below 16 KiB in total.',
  },
  'request.TIMEOUT': {
    status: 408,
    message: 'The request did not arrive in time.',
    hint: 'Send it again over a faster connection.',
  },
  'request.BODY_TOO_LARGE': {
    status: 413,
    message: 'The body is too large.',
    hint: 'Send a smaller body: operations accept up to 64 KiB, and those that carry texts, input or lists of files up to 1 MiB.',
  },
  'request.UNSUPPORTED_MEDIA_TYPE': {
    status: 415,
    message: 'The service does not accept a body of this content type.',
    hint: 'Send Content-Type: application/json.',
  },
  'route.NOT_FOUND': {
    status: 404,
    message: 'This path does not exist.',
    hint: 'See /openapi.json for a list of all operations.',
  },
  'route.METHOD_NOT_ALLOWED': {
    status: 405,
    message: 'This path does not support this method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  'auth.MISSING': {
    status: 401,
    message: 'The request has no credential.',
    hint: 'Send X-Api-Key, Authorization: Bearer or X-Trial-Session-Token.',
  },
  'auth.AMBIGUOUS': {
    status: 401,
    message: 'The request has more than one credential.',
    hint: 'Send exactly one of X-Api-Key, Authorization and X-Trial-Session-Token.',
  },
  'auth.INVALID': {
    status: 401,
    message: 'The credential is not valid: it is unknown, expired or revoked.',
    hint: 'Use a different one, or ask an admin of the organization for a new one.',
  },
  'auth.FORBIDDEN': {
    status: 403,
    message: 'The role of this credential does not allow this operation.',
    hint: 'Use a credential with the required role.',
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
    message: 'This credential has sent too many requests.',
    hint: 'Wait for the number of seconds in Retry-After.',
  },
  'rate.TOO_MANY_FAILURES': {
    status: 429,
    message: 'This address has sent too many invalid credentials.',
    hint: 'Check the credential and wait for the number of seconds in Retry-After.',
  },
  'idempotency.KEY_REUSED': {
    status: 409,
    message: 'This Idempotency-Key was already used for a different request.',
    hint: 'Use a new key for a new request.',
  },
  'idempotency.IN_PROGRESS': {
    status: 409,
    message: 'A request with this Idempotency-Key is still in progress.',
    hint: 'Retry in a moment.',
  },
  'organization.NOT_FOUND': {
    status: 404,
    message: 'This organization does not exist.',
    hint: 'Check the organization id.',
  },
  'organization.NOT_EMPTY': {
    status: 409,
    message: 'The organization still has sandboxes.',
    hint: 'Delete its sandboxes first.',
  },
  'plan.NOT_FOUND': {
    status: 404,
    message: 'This plan does not exist.',
    hint: 'Call listPlans to see the available plans.',
  },
  'plan.EXISTS': {
    status: 409,
    message: 'A plan with this name already exists.',
    hint: 'Choose a different name, or update the existing plan.',
  },
  'plan.IN_USE': {
    status: 409,
    message: 'The plan is in use by at least one organization.',
    hint: 'Move those organizations to another plan first.',
  },
  'project.NOT_FOUND': {
    status: 404,
    message: 'This project does not exist.',
    hint: 'Call listProjects to see the projects of the organization.',
  },
  'project.DEFAULT': {
    status: 409,
    message: 'The default project cannot be deleted.',
    hint: 'Choose a different project.',
  },
  'project.NOT_EMPTY': {
    status: 409,
    message: 'The project still has sandboxes or MCP servers.',
    hint: 'Delete them first.',
  },
  'project.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of projects.',
    hint: 'Delete a project first.',
  },
  'apiKey.NOT_FOUND': {
    status: 404,
    message: 'This API key does not exist.',
    hint: 'Call listApiKeys to see the keys of the organization.',
  },
  'apiKey.ROLE_TOO_HIGH': {
    status: 403,
    message: "The role of the key is higher than the caller's own role.",
    hint: 'Choose a lower role, or use a credential with a higher one.',
  },
  'apiKey.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of API keys.',
    hint: 'Revoke a key first.',
  },
  'trialToken.NOT_FOUND': {
    status: 404,
    message: 'This trial token does not exist.',
    hint: 'Call listTrialTokens to see the tokens of the organization.',
  },
  'trialToken.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of trial tokens.',
    hint: 'Revoke a token first.',
  },
  'shape.NOT_FOUND': {
    status: 400,
    message: 'This shape does not exist.',
    hint: 'Call listShapes to see the available shapes.',
  },
  'shape.PLAN_TOO_LOW': {
    status: 403,
    message: "The organization's plan does not include this shape.",
    hint: 'Choose another shape, or ask the operator for a higher plan.',
  },
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
  'image.NOT_FOUND': {
    status: 404,
    message: 'This image does not exist.',
    hint: 'Call listMachineImages to see the images that the organization can use.',
  },
  'image.NOT_READY': {
    status: 409,
    message: 'The image is not READY.',
    hint: 'Call listMachineImages to see its status; create another image if it is in ERROR.',
  },
  'image.NOT_OWN': {
    status: 403,
    message: 'The image belongs to another organization, which shares it with everybody.',
    hint: 'Only its organization and the operator can delete it.',
  },
  'image.FILE': {
    status: 400,
    message: 'The file is not an image that can be imported.',
    hint: 'Send a file that exportMachineImage returned, unchanged and whole.',
  },
  'image.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of images.',
    hint: 'Delete an image first.',
  },
  'snapshot.NOT_FOUND': {
    status: 404,
    message: 'This snapshot does not exist.',
    hint: 'Call listSandboxSnapshots to see the snapshots of the sandbox.',
  },
  'snapshot.NOT_READY': {
    status: 409,
    message: 'The snapshot is not READY.',
    hint: 'Call listSandboxSnapshots to see its status; create another snapshot if it is in ERROR.',
  },
  'snapshot.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of snapshots.',
    hint: 'Delete a snapshot first.',
  },
  'snapshot.UNSUPPORTED': {
    status: 409,
    message: 'The disks of machines of this shape cannot be saved.',
    hint: 'Use a sandbox of another shape.',
  },
  'snapshot.NO_MEMORY': {
    status: 409,
    message: 'Machines of this shape cannot keep their memory, only their disk.',
    hint: 'Leave memory out. Programs start again, and find their files.',
  },
  'volume.NOT_FOUND': {
    status: 404,
    message: 'This volume does not exist.',
    hint: 'Call listVolumes to see the volumes of the organization.',
  },
  'volume.NOT_READY': {
    status: 409,
    message: 'The volume is not READY.',
    hint: 'Call listVolumes to see its status and the reason.',
  },
  'volume.EXISTS': {
    status: 409,
    message: 'The organization already has a volume with this name.',
    hint: 'Choose another name, or use the volume that exists.',
  },
  'volume.IN_USE': {
    status: 409,
    message: 'A sandbox has the volume. Either one sandbox can write to a volume, or several can read it.',
    hint: 'Call listVolumes to see which sandboxes have it, and delete them first.',
  },
  'volume.ELSEWHERE': {
    status: 409,
    message: 'The volumes, or the volume and the image, are on different nodes.',
    hint: 'Call listVolumes to see their nodes, and use volumes of one node.',
  },
  'volume.UNSUPPORTED': {
    status: 409,
    message: 'Machines of this shape cannot have volumes.',
    hint: 'Use another shape. If no volume can be created, ask the operator for a node with machines.',
  },
  'volume.TOO_MANY': {
    status: 409,
    message: 'The organization has reached its maximum number of volumes.',
    hint: 'Delete a volume first.',
  },
  'volume.TOO_LARGE': {
    status: 409,
    message: 'The volumes of the organization would be larger than its plan allows.',
    hint: 'Choose a smaller size, or delete a volume first.',
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
  'action.INVALID': {
    status: 400,
    message: 'The action is not possible on this screen, and nothing was done.',
    hint: 'Fix the action.',
  },
  'action.UNFIT': {
    status: 400,
    message: 'This kind of machine does not support this action.',
    hint: 'Choose a supported action.',
  },
  'action.ELEMENT': {
    status: 409,
    message: 'The element is no longer on the screen as described, and nothing was done.',
    hint: 'Request the tree again with includeUiTree, and describe the element as it is now.',
  },
  'action.TOO_MANY': {
    status: 429,
    message: 'Too many actions are queued for this sandbox.',
    hint: 'Wait for some of them to complete.',
  },
  'machine.NO_ANSWER': {
    status: 504,
    message: "The machine's desktop did not answer.",
    hint: 'Retry, or restart the sandbox.',
  },
  'process.CANNOT_START': {
    status: 400,
    message: 'The program could not be started.',
    hint: 'Use a program that the user can run, or its full path, and a working directory that exists.',
  },
  'shell.NOT_FOUND': {
    status: 404,
    message: 'This shell does not exist.',
    hint: 'Start a new one. A shell ends with its sandbox, when the service restarts, and when it has been unused for too long.',
  },
  'shell.FINISHED': {
    status: 409,
    message: 'The command has finished, or its input has been closed.',
    hint: 'Start a new shell.',
  },
  'shell.INPUT_FULL': {
    status: 409,
    message: 'The command is not reading its input and the input buffer is full; nothing was written.',
    hint: 'Retry once the command has read some of its input.',
  },
  'shell.NO_TERMINAL': {
    status: 409,
    message: 'The shell has no terminal.',
    hint: 'Start the shell with useTty.',
  },
  'shell.TOO_MANY': {
    status: 409,
    message: 'The sandbox has reached its maximum number of shells.',
    hint: 'Terminate a shell first.',
  },
  'application.NOT_FOUND': {
    status: 404,
    message: 'This application does not exist.',
    hint: 'Call listApplications to see the available applications.',
  },
  'application.UNAVAILABLE': {
    status: 409,
    message: 'This service does not download packages, so it cannot install applications.',
    hint: 'Ask the operator to enable it.',
  },
  'operation.NOT_FOUND': {
    status: 404,
    message: 'This operation does not exist in this sandbox.',
    hint: 'Use the operation id that installSandboxApplication returned.',
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
  'file.NOT_FOUND': {
    status: 404,
    message: 'This file or folder does not exist in the sandbox.',
    hint: "Check the path; a path that does not start with / is relative to the user's home.",
  },
  'file.DENIED': {
    status: 403,
    message: "The sandbox's user does not have permission to do this.",
    hint: 'Choose a writable location, or change its permissions inside the sandbox.',
  },
  'file.INVALID': {
    status: 400,
    message: 'The path is not valid.',
    hint: 'Fix the path.',
  },
  'file.WRONG_KIND': {
    status: 409,
    message: 'The path is a folder where a file is required, a file where a folder is required, or neither.',
    hint: 'Use the path of a regular file, or of a folder if the operation is about folders.',
  },
  'file.EXISTS': {
    status: 409,
    message: 'Something with this name already exists.',
    hint: 'Choose a different name, or remove the existing one.',
  },
  'file.NO_SPACE': {
    status: 409,
    message: "The sandbox's disk is full.",
    hint: 'Remove files that are not needed, or use a shape with a larger disk.',
  },
  'file.FAILED': {
    status: 409,
    message: 'The sandbox could not complete this file operation.',
    hint: 'Inspect the file inside the sandbox, then retry.',
  },
  'file.RANGE': {
    status: 416,
    message: 'The range starts beyond the end of the file.',
    hint: 'See Content-Range for the size of the file.',
  },
  'file.FORM': {
    status: 400,
    message: 'The body is not a form that contains files.',
    hint: 'Send multipart/form-data with at least one file, as curl -F file=@name does.',
  },
  'file.COPY': {
    status: 400,
    message: 'The file was not copied.',
    hint: 'Copy from the sandbox or a URL to GET; copy to the sandbox, a URL to PUT or a form to POST.',
  },
  'outbound.INVALID': {
    status: 400,
    message: 'The URL, or one of its headers, is not valid.',
    hint: 'Use an http or https URL without credentials, and headers that HTTP allows.',
  },
  'outbound.FORBIDDEN': {
    status: 400,
    message:
      'The URL points to a private or reserved network or to this host, which the service does not call.',
    hint: 'Use a public URL, or ask the operator to allow the network in SANDGLASS_OUTBOUND_PRIVATE.',
  },
  'outbound.FAILED': {
    status: 400,
    message: 'The request to the URL failed.',
    hint: 'Check that the URL is correct and still valid.',
  },
  'screenshot.NOT_FOUND': {
    status: 404,
    message: 'This screenshot does not exist: its URL is wrong or has expired.',
    hint: 'Take a new screenshot.',
  },
  'screenshot.FAILED': {
    status: 500,
    message: 'The screenshot could not be encoded or stored.',
    hint: 'Take a new screenshot.',
  },
  'screenshot.TOO_LARGE': {
    status: 413,
    message: 'The image is too large for a response.',
    hint: 'Fetch it from screenShot, or choose jpeg.',
  },
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
  'parser.UNKNOWN_TYPE': {
    status: 404,
    message: 'There is no parser of this type.',
    hint: 'Call listParserTypes to see the available types.',
  },
  'parser.NO_ACTION': {
    status: 400,
    message: 'The text has no action that can be performed.',
    hint: 'Check that type is the family of the model, and ask the model again.',
  },
  'parser.ACTION_UNKNOWN': {
    status: 400,
    message: 'The text has an action that cannot be performed, so nothing was done.',
    hint: 'Ask the model again, or parse the text with parseModelTextOutput and perform what you want of it.',
  },
  'parser.UNITS': {
    status: 400,
    message: 'The coordinates in the text fit no unit.',
    hint: 'Send imageWidth and imageHeight if the model was given an image of another size than the screen, or ask the model again.',
  },
  'parser.TOO_MANY_ACTIONS': {
    status: 400,
    message: 'The text has more actions than can be performed in one call.',
    hint: 'Parse it with parseModelTextOutput, and perform the actions in several calls.',
  },
  'service.INTERNAL': {
    status: 500,
    message: 'An internal error occurred.',
    hint: 'Retry; if it fails again, send the requestId to the operator.',
  },
  'service.OUTCOME_UNKNOWN': {
    status: 504,
    message: 'The database did not confirm the change: it may or may not have been made.',
    hint: 'Check whether it was made before you retry; a retry with the same Idempotency-Key is always safe.',
  },
  'service.UNAVAILABLE': {
    status: 503,
    message: 'The service cannot do this right now, and nothing was done.',
    hint: 'Retry after the number of seconds in Retry-After.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>

/** An entry of the error table. */
export interface ErrorDefinition {
  readonly status: number
  readonly message: string
  readonly hint: string
}

/** The code of an error. Clients may rely on codes; messages can change. */
export type ErrorCode = keyof typeof errors
