export { encodeLossless, type OpaquePicture } from './vp8l.ts'
