export { fileMethods } from './methods.ts'
export { RemoteFiles } from './remote-files.ts'
export { serveFiles } from './serve-files.ts'
