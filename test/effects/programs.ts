/** Opens a display and a window with a title. `draw` fills a rectangle of it. */
const window = `
import ctypes, time
x = ctypes.CDLL('libX11.so.6')
x.XOpenDisplay.restype = x.XCreateGC.restype = ctypes.c_void_p
d = ctypes.c_void_p(x.XOpenDisplay(None))
root = ctypes.c_ulong(x.XDefaultRootWindow(d))
def open_window(title, left, top, width, height, colour):
    w = ctypes.c_ulong(x.XCreateSimpleWindow(d, root, left, top, width, height, 0, 0, colour))
    x.XStoreName(d, w, title.encode())
    hints = (ctypes.c_long * 18)(5, left, top, width, height)
    x.XSetWMNormalHints(d, w, hints)
    x.XSelectInput(d, w, ctypes.c_long(4))
    x.XMapWindow(d, w)
    x.XSync(d, 0)
    return w
def draw(w, left, top, width, height, colour):
    gc = ctypes.c_void_p(x.XCreateGC(d, w, 0, None))
    x.XSetForeground(d, gc, ctypes.c_ulong(colour))
    x.XFillRectangle(d, w, gc, left, top, width, height)
    x.XFreeGC(d, gc)
    x.XSync(d, 0)
def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end: sum(range(1000))
`

/** Moves a bar through a window without an end. */
export const animation = `${window}
w = open_window('animation', 700, 100, 400, 300, 0x303030)
step = 0
while True:
    draw(w, 0, 0, 400, 300, 0x303030)
    draw(w, 8 * (step % 45), 20, 40, 260, 0xff8800)
    step += 1
    time.sleep(0.033)
`

/** A window that waits for a click, then a splash screen while the program prepares, then the real window. */
export const splash = `${window}
w = open_window('start me', 540, 250, 200, 100, 0x2060a0)
event = (ctypes.c_long * 24)()
x.XWindowEvent(d, w, ctypes.c_long(4), ctypes.byref(event))
x.XDestroyWindow(d, w)
s = open_window('splash', 440, 200, 400, 200, 0xeecc00)
work(1.2)
time.sleep(0.06)
work(0.4)
x.XDestroyWindow(d, s)
w = open_window('real window', 200, 100, 800, 500, 0xffffff)
work(0.1)
draw(w, 20, 20, 760, 460, 0x118844)
time.sleep(1000000)
`

export const startPage = 'http://127.0.0.1:8099/'

/** A page with one large link, and a page that arrives in four parts, each after a pause. */
export const slowServer = `
import http.server, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/html')
        self.end_headers()
        if self.path != '/slow':
            return self.wfile.write(b'<title>start page</title><a href="/slow" style="position:fixed;inset:0;background:#def">go</a>')
        time.sleep(0.6)
        colours = ['#d33', '#3a3', '#33d', '#aa3']
        self.wfile.write(b'<title>loading</title><body>')
        for colour in colours:
            self.wfile.write(('<div style="height:120px;background:%s">part</div>' % colour).encode() + b' ' * 2048)
            self.wfile.flush()
            time.sleep(0.6)
        self.wfile.write(b'<script>document.title="all stages"</script>')
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(('127.0.0.1', 8099), Handler).serve_forever()
`
