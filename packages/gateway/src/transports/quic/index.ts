export { connectQuic, type QuicServer } from './connect-quic.ts'
export { QuicListener, type QuicListenerOptions, type QuicStart } from './quic-listener.ts'
