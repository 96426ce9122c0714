# The browser that programs drive: $1 says what to do with it, $2 is the folder for its files.
#   start  Starts it unless it runs, and prints the port and the path at which it listens.
#   only   Does the same, and exits with 3 if it runs with other options.
#   stop   Ends it.
# $3 is the options as one text, and the rest are its flags. Exits with 127 if there is no browser, and with 4 if it cannot use an
# option; the error output says why, as it does for any other failure.
action=$1 folder=$2 profile=$2/profile options=$3
shift 3

# Browsers refuse to connect to these ports ("bad ports" of the Fetch standard), whatever a page asks for. With the debugging port
# among them, no page can reach it.
ports='6667 6666 6668 6669 6665 6697 10080'

# Whether a process is a browser with the profile. Chromium separates the arguments that it shows with spaces.
has_profile() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -qF -- " --user-data-dir=$profile "; }

# Prints the process that has the profile. The link consists of the name of the host and the process id.
holder() {
  local link
  link=$(readlink "$profile/SingletonLock") && has_profile "${link##*-}" && echo "${link##*-}"
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Prints where it listens, if it has said that and does.
report() {
  local url port
  url=$(grep -osm 1 'DevTools listening on ws://127.0.0.1:[0-9]*/devtools/browser/[0-9a-f-]*' "$folder/log") || return 1
  url=${url#*127.0.0.1:} port=${url%%/*}
  listens "$port" && echo "$port /${url#*/}"
}

# Waits for up to $1 tenths of a second until the command in the other arguments succeeds.
wait_for() {
  local left=$1
  shift
  until "$@"; do
    ((left-- > 0)) || return 1
    sleep 0.1
  done
}

is_gone() { ! has_profile "$1"; }
reports_or_is_gone() { report >/dev/null || is_gone "$1"; }

end() {
  local pid
  pid=$(holder) || return 0
  kill "$pid" 2>/dev/null
  wait_for 50 is_gone "$pid" && return
  kill -KILL "$pid" 2>/dev/null
  wait_for 50 is_gone "$pid"
}

mkdir -p "$profile" || exit 1
exec 9>"$folder/lock" && flock 9 || exit 1
if [ "$action" = stop ]; then
  end
  exit
fi
browser=$(command -v chromium) || exit 127

# One that does not report is just being closed, was just started by a call that was cancelled, or hangs.
if pid=$(holder) && wait_for 50 reports_or_is_gone "$pid" && found=$(report); then
  [ "$action" = start ] || [ "$options" = "$(cat "$folder/options")" ] || exit 3
  echo "$found"
  exit
fi
end || exit 1

for flag; do
  case $flag in --load-extension=*) IFS=, read -ra extensions <<<"${flag#*=}" ;; esac
done
for extension in "${extensions[@]}"; do
  [ -r "$extension/manifest.json" ] && continue
  echo "$extension is not a folder with the manifest.json of an extension" >&2
  exit 4
done
for port in $ports none; do listens "$port" || break; done
if [ "$port" = none ]; then
  echo "the ports $ports are all in use" >&2
  exit 1
fi
rm -f "$profile"/Singleton*
printf '%s' "$options" >"$folder/options" || exit 1
setsid "$browser" --user-data-dir="$profile" --remote-debugging-port="$port" "$@" about:blank \
  </dev/null >"$folder/log" 2>&1 9>&- &
started=$!
reports_or_failed() { report >/dev/null || ! kill -0 "$started" 2>/dev/null; }
wait_for 1200 reports_or_failed
report && exit
tail -n 1 "$folder/log" >&2
exit 1
