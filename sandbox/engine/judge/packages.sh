# Sourced by run.sh and others.sh: `packages FOLDER REQUIREMENTS` installs a list of Python packages into a folder, unless the folder has that list.
# It fails if Python or PyPI is out of reach.
packages() {
    cmp -s "$2" "$1/requirements.txt" && return
    rm -rf "$1"
    if ! { python3 -m venv "$1" && "$1/bin/pip" install -q --disable-pip-version-check -r "$2"; }; then
        rm -rf "$1"
        return 1
    fi
    cp "$2" "$1"
}
