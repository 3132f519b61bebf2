#!/bin/sh
# Starts a separate PostgreSQL on loopback, on a free port, in a temporary folder; runs the given command; stops the server.
# The command has these environment variables:
#   PLATFORM_POSTGRES_URL         the address, for a superuser, without a password
#   PLATFORM_POSTGRES_CA          the certificate that verifies the server
#   PLATFORM_POSTGRES_CONTROL     a program that stops, starts, restarts and crashes the server
#   PLATFORM_POSTGRES_SMALL_DISK  a small disk with a folder `tables` of the server; only for root, if it may mount one
# If Debian's package `postgresql` is missing and this user may, it is installed. Without PostgreSQL, the script prints
# SKIPPED with the reason, and ends with 0; set PLATFORM_POSTGRES_REQUIRED to make that an error.
set -eu

skipped() {
    echo "SKIPPED: $1"
    [ -z "${PLATFORM_POSTGRES_REQUIRED:-}" ] || exit 1
    exit 0
}

# The newest installed version.
programs() {
    for folder in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -rn) /usr/local/bin /usr/bin; do
        if [ -x "$folder/initdb" ] && [ -x "$folder/pg_ctl" ]; then
            echo "$folder"
            return
        fi
    done
}

bin=$(programs)
if [ -z "$bin" ]; then
    command -v apt-get >/dev/null || skipped 'PostgreSQL is not installed, and there is no apt-get: install it'
    [ "$(id -u)" = 0 ] || skipped 'PostgreSQL is not installed, and only root may: apt-get install postgresql'
    # No system cluster: only the server below is needed.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
    # The old package lists may suffice if new ones cannot be downloaded.
    said=$(apt-get -qq update 2>&1) || true
    said="$said
$(DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql 2>&1)" || true
    bin=$(programs)
    [ -n "$bin" ] || skipped "PostgreSQL cannot be installed: $(echo "$said" | grep '^[EW]:' | tail -1)"
fi

# PostgreSQL does not run as root.
owner=$(id -un)
as() { "$@"; }
prefix=
if [ "$(id -u)" = 0 ]; then
    owner=postgres
    id "$owner" >/dev/null 2>&1 || owner=nobody
    command -v setpriv >/dev/null || skipped 'setpriv is not installed, and PostgreSQL does not run as root'
    prefix="setpriv --reuid=$owner --regid=$(id -g "$owner") --clear-groups"
    as() { $prefix "$@"; }
fi

# From here on, any end of the script leaves no process, no mount and no folder.
folder=
small=
stop() {
    [ -n "$folder" ] || return 0
    (cd "$folder" && as "$bin/pg_ctl" -D data -m immediate stop) >/dev/null 2>&1 || true
    [ -z "$small" ] || umount "$folder/small" 2>/dev/null || umount -l "$folder/small" || true
    rm -rf "$folder"
}
trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

folder=$(mktemp -d "${TMPDIR:-/tmp}/platform-postgres.XXXXXX")
chmod 755 "$folder"
mkdir "$folder/data" "$folder/socket" "$folder/small"
chown "$owner" "$folder/data" "$folder/socket"

if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=32m,mode=755 tmpfs "$folder/small" 2>/dev/null; then
    small=yes
    mkdir "$folder/small/tables"
    chown "$owner" "$folder/small/tables"
fi

if ! (cd "$folder" && as "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C -N) >"$folder/initdb.log" 2>&1; then
    cat "$folder/initdb.log" >&2
    exit 1
fi

# TLS, with a certificate that only the tests trust.
tls=off
cat >"$folder/openssl.cnf" <<'CNF'
[req]
distinguished_name = name
x509_extensions = server
[name]
[server]
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:localhost, IP:127.0.0.1
CNF
if command -v openssl >/dev/null && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj /CN=localhost -config "$folder/openssl.cnf" \
    -keyout "$folder/data/server.key" -out "$folder/ca.pem" >/dev/null 2>&1; then
    cp "$folder/ca.pem" "$folder/data/server.crt"
    chmod 600 "$folder/data/server.key"
    chown "$owner" "$folder/data/server.key" "$folder/data/server.crt"
    tls=on
fi

# One role needs a password: for the tests of passwords.
cat >"$folder/data/pg_hba.conf" <<'HBA'
local all all trust
host all platform_secret 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
HBA

cat >"$folder/data/postgresql.auto.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$folder/socket'
max_connections = 200
ssl = $tls
log_min_messages = fatal
CONF

# A port that was free a moment ago may be taken when the server starts.
port=
for attempt in 1 2 3 4 5 6 7 8 9 10; do
    candidate=$(awk -v seed="$$$attempt" 'BEGIN { srand(seed); print 20000 + int(rand() * 30000) }')
    echo "port = $candidate" >>"$folder/data/postgresql.auto.conf"
    if (cd "$folder" && as "$bin/pg_ctl" -D data -l data/server.log -w -t 60 start) >"$folder/start.log" 2>&1; then
        port=$candidate
        break
    fi
done
if [ -z "$port" ]; then
    cat "$folder/start.log" "$folder/data/server.log" >&2 || true
    exit 1
fi

cat >"$folder/control" <<CONTROL
#!/bin/sh
# stop | start | restart | crash
set -eu
cd "$folder"
case "\$1" in
    stop) exec $prefix "$bin/pg_ctl" -D data -m fast -w stop ;;
    start) exec $prefix "$bin/pg_ctl" -D data -l data/server.log -w -t 60 start ;;
    restart) exec $prefix "$bin/pg_ctl" -D data -l data/server.log -m fast -w -t 60 restart ;;
    crash) exec $prefix "$bin/pg_ctl" -D data -l data/server.log -m immediate -w -t 60 restart ;;
esac
CONTROL
chmod 755 "$folder/control"

PLATFORM_POSTGRES_URL="postgresql://postgres@127.0.0.1:$port/postgres"
PLATFORM_POSTGRES_CONTROL="$folder/control"
export PLATFORM_POSTGRES_URL PLATFORM_POSTGRES_CONTROL
if [ "$tls" = on ]; then
    PLATFORM_POSTGRES_CA="$folder/ca.pem"
    export PLATFORM_POSTGRES_CA
fi
if [ -n "$small" ]; then
    PLATFORM_POSTGRES_SMALL_DISK="$folder/small"
    export PLATFORM_POSTGRES_SMALL_DISK
fi
echo "$("$bin/postgres" --version) on 127.0.0.1:$port" >&2
"$@"
