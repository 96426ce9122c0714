import type { ErrorDefinition } from './definition.ts'

/** Errors of what is done inside a sandbox. */
export const insideErrors = {
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
  'browser.UNAVAILABLE': {
    status: 409,
    message: 'This sandbox has no browser that programs can drive.',
    hint: 'Use a shape of a Linux desktop, or install Chromium in the sandbox.',
  },
  'browser.FAILED': {
    status: 409,
    message: 'The browser of the sandbox did not start, or does not answer.',
    hint: 'Try again. Close the browser with closeSandboxBrowser if it hangs.',
  },
  'browser.RUNNING': {
    status: 409,
    message: 'The browser of the sandbox runs with other options.',
    hint: 'Close it with closeSandboxBrowser first, or connect to it as it is with connectSandboxBrowser.',
  },
  'browser.INVALID': {
    status: 400,
    message: 'The browser cannot use these options.',
    hint: 'Fix the option that the message names.',
  },
  'browser.UNAUTHORIZED': {
    status: 401,
    message: 'This URL of a browser is wrong, has expired or was revoked.',
    hint: 'Call connectSandboxBrowser for a new one.',
  },
  'browser.NOT_FOUND': {
    status: 404,
    message: 'The browser has no such page.',
    hint: 'Read /json/list below httpUrl for the pages that are open.',
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
} as const satisfies Readonly<Record<string, ErrorDefinition>>
