//! Parameters and their styles.

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the path template.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In the `Cookie` header.
    Cookie,
}

/// The serialization of arrays and objects: the styles of OpenAPI 3.0, including explode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `name=a&name=b`, `k=v&l=w`
    Form,
    /// `name=a,b`, `name=k,v,l,w`
    FormUnexploded,
    /// `name=a%20b`
    Space,
    /// `name=a|b`
    Pipe,
    /// `name=a%09b`
    Tab,
    /// `name[k]=v`
    Deep,
    /// `a,b`, `k,v,l,w`
    Simple,
    /// `a,b`, `k=v,l=w`
    SimpleExploded,
    /// `.a,b`, `.k,v,l,w`
    Label,
    /// `.a.b`, `.k=v.l=w`
    LabelExploded,
    /// `;name=a,b`, `;name=k,v,l,w`
    Matrix,
    /// `;name=a;name=b`, `;k=v;l=w`
    MatrixExploded,
    /// One JSON text.
    Json,
}

/// One parameter of an operation: its name on the wire, its location and its style.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its location.
    pub location: Location,
    /// The serialization of arrays and objects.
    pub style: Style,
    /// `true` if reserved characters are not encoded (`allowReserved`).
    pub reserved: bool,
    /// The version that is sent if the caller sets none; only used by `Operation::api_version`.
    pub default: Option<&'static str>,
}

/// A path parameter, in style `simple`.
pub const fn path(name: &'static str) -> Parameter {
    Parameter::new(name, Location::Path, Style::Simple)
}

/// A query parameter, in style `form`, exploded.
pub const fn query(name: &'static str) -> Parameter {
    Parameter::new(name, Location::Query, Style::Form)
}

/// A header parameter, in style `simple`.
pub const fn header(name: &'static str) -> Parameter {
    Parameter::new(name, Location::Header, Style::Simple)
}

/// A cookie parameter, in style `form`, exploded.
pub const fn cookie(name: &'static str) -> Parameter {
    Parameter::new(name, Location::Cookie, Style::Form)
}

impl Parameter {
    const fn new(name: &'static str, location: Location, style: Style) -> Self {
        Self { name, location, style, reserved: false, default: None }
    }

    /// [`path`] under a name that no argument of a generated function can shadow.
    pub const fn path(name: &'static str) -> Self {
        path(name)
    }

    /// [`query`] under a name that no argument of a generated function can shadow.
    pub const fn query(name: &'static str) -> Self {
        query(name)
    }

    /// [`header`] under a name that no argument of a generated function can shadow.
    pub const fn header(name: &'static str) -> Self {
        header(name)
    }

    /// [`cookie`] under a name that no argument of a generated function can shadow.
    pub const fn cookie(name: &'static str) -> Self {
        cookie(name)
    }

    /// `explode: false`.
    pub const fn unexploded(mut self) -> Self {
        self.style = match self.style {
            Style::Form => Style::FormUnexploded,
            Style::SimpleExploded => Style::Simple,
            Style::LabelExploded => Style::Label,
            Style::MatrixExploded => Style::Matrix,
            other => other,
        };
        self
    }

    /// `explode: true`.
    pub const fn exploded(mut self) -> Self {
        self.style = match self.style {
            // An exploded delimiter separates nothing: OpenAPI gives it no example, and servers parse it as form.
            Style::FormUnexploded | Style::Space | Style::Pipe | Style::Tab => Style::Form,
            Style::Simple => Style::SimpleExploded,
            Style::Label => Style::LabelExploded,
            Style::Matrix => Style::MatrixExploded,
            other => other,
        };
        self
    }

    /// `style: deepObject`.
    pub const fn deep(self) -> Self {
        self.style(Style::Deep)
    }

    /// `style: spaceDelimited`.
    pub const fn space(self) -> Self {
        self.style(Style::Space)
    }

    /// `style: pipeDelimited`.
    pub const fn pipe(self) -> Self {
        self.style(Style::Pipe)
    }

    /// `collectionFormat: tsv` of Swagger 2.0.
    pub const fn tab(self) -> Self {
        self.style(Style::Tab)
    }

    /// `style: label`.
    pub const fn label(self) -> Self {
        self.style(Style::Label)
    }

    /// `style: matrix`.
    pub const fn matrix(self) -> Self {
        self.style(Style::Matrix)
    }

    /// `content: application/json`.
    pub const fn json(self) -> Self {
        self.style(Style::Json)
    }

    /// `allowReserved: true`.
    pub const fn reserved(mut self) -> Self {
        self.reserved = true;
        self
    }

    /// Sets the value that is sent if no other is given. Only used by `Operation::api_version`.
    pub const fn default_value(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }

    const fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}
