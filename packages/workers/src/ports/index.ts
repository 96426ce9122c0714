export { portMethods } from './methods.ts'
export { remoteDial } from './remote-dial.ts'
export { servePorts } from './serve-ports.ts'
