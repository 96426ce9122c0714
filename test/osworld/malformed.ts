interface Malformed {
  readonly name: string
  readonly route: string
  /** 400 by default. */
  readonly status?: number
  readonly method?: string
  readonly body?: string | Buffer<ArrayBuffer> | URLSearchParams | FormData
  readonly headers?: Record<string, string>
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const uploaded = (path: string) => {
  const data = new FormData()
  data.set('file_path', path)
  data.set('file_data', new Blob(['x']), 'x')
  return data
}

const needsObject = [
  ...['/execute', '/execute_with_verification', '/run_python', '/run_bash_script', '/list_directory'],
  ...['execute', 'execute_with_verification', 'launch', 'download_file', 'open_file', 'change_wallpaper'].map(
    route => `/setup/${route}`,
  ),
  ...['/setup/activate_window', '/setup/close_window'],
]

const bodies: Record<string, object> = {
  'a command that is a number': { command: 7 },
  'a command with a number in it': { command: ['echo', 7] },
  'an empty command': { command: [] },
  'a command with a null character': { command: ['echo', 'a\0b'] },
  'a command with half a character': { command: ['echo', '\ud800'] },
  'an open quote': { command: "echo 'a" },
  'a shell that is a text': { command: 'true', shell: 'yes' },
  'a program that does not exist': { command: ['no-such-program'] },
  'a program that is a folder': { command: ['/etc'] },
}

/** Requests that are wrong, each with the status of the response. */
export const malformed: readonly Malformed[] = [
  ...needsObject.flatMap(route => [
    { name: `no body for ${route}`, route },
    { name: `a body for ${route} that is not JSON`, route, body: '{"command":' },
    { name: `a list for ${route}`, route, body: '[]' },
    { name: `an empty object for ${route}`, route, body: '{}' },
    { name: `bytes for ${route}`, route, body: Buffer.from([255, 254, 0]) },
  ]),
  ...Object.entries(bodies).map(([name, body]) => ({ name, route: '/execute', body: JSON.stringify(body) })),
  {
    name: 'a verification that is a text',
    route: '/execute_with_verification',
    body: '{"command": ["true"], "verification": "soon"}',
  },
  {
    name: 'a negative time',
    route: '/execute_with_verification',
    body: '{"command": ["true"], "max_wait_time": -1}',
  },
  { name: 'a time that is a text', route: '/run_bash_script', body: '{"script": "true", "timeout": "long"}' },
  { name: 'a time that is no number', route: '/run_bash_script', body: '{"script": "true", "timeout": NaN}' },
  {
    name: 'a missing folder',
    route: '/run_bash_script',
    body: '{"script": "true", "working_dir": "/nowhere"}',
  },
  { name: 'a file to list', route: '/list_directory', body: '{"path": "/etc/passwd"}' },
  { name: 'no file to read', route: '/file' },
  { name: 'a missing file', route: '/file', status: 404, body: form({ file_path: '/nowhere' }) },
  { name: 'a folder to read', route: '/file', body: form({ file_path: '/etc' }) },
  { name: 'a device to read', route: '/file', body: form({ file_path: '/dev/zero' }) },
  { name: "another user's file", route: '/file', status: 403, body: form({ file_path: '/etc/shadow' }) },
  { name: 'no window class', route: '/window_size' },
  {
    name: 'an unknown window class',
    route: '/window_size',
    status: 404,
    body: form({ app_class_name: 'none' }),
  },
  { name: 'an upload without a file', route: '/setup/upload', body: form({ file_path: '/tmp/x' }) },
  { name: 'an upload to a folder', route: '/setup/upload', body: uploaded('/tmp') },
  { name: 'an upload below a file', route: '/setup/upload', body: uploaded('/etc/passwd/x') },
  { name: 'an upload that is not allowed', route: '/setup/upload', status: 403, body: uploaded('/etc/x') },
  {
    name: 'a broken form',
    route: '/setup/upload',
    body: 'nothing',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  },
  {
    name: 'a form without a boundary',
    route: '/setup/upload',
    body: 'x',
    headers: { 'content-type': 'multipart/form-data' },
  },
  {
    name: 'a URL of a file',
    route: '/setup/download_file',
    body: '{"url": "file:///etc/passwd", "path": "x"}',
  },
  { name: 'a URL without a host', route: '/setup/download_file', body: '{"url": "http://", "path": "x"}' },
  {
    name: 'a URL with a wrong port',
    route: '/setup/download_file',
    body: '{"url": "http://a:b/", "path": "x"}',
  },
  {
    name: 'a URL that does not answer',
    route: '/setup/download_file',
    status: 502,
    body: '{"url": "http://127.0.0.1:1/", "path": "x"}',
  },
  { name: 'a missing file to open', route: '/setup/open_file', status: 404, body: '{"path": "/nowhere"}' },
  {
    name: 'a missing wallpaper',
    route: '/setup/change_wallpaper',
    status: 404,
    body: '{"path": "/nowhere"}',
  },
  {
    name: 'a wallpaper that is no picture',
    route: '/setup/change_wallpaper',
    body: '{"path": "/etc/passwd"}',
  },
  { name: 'a wallpaper that is a folder', route: '/setup/change_wallpaper', body: '{"path": "/etc"}' },
  { name: 'a missing window', route: '/setup/activate_window', status: 404, body: '{"window_name": "none"}' },
  {
    name: 'a missing window to close',
    route: '/setup/close_window',
    status: 404,
    body: '{"window_name": "none"}',
  },
  { name: 'an unknown path', route: '/nothing', status: 404 },
  { name: 'a wrong method', route: '/execute', status: 405, method: 'GET' },
]
