export { AptMirror } from './apt-mirror.ts'
