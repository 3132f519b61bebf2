//! The source of a program that calls every operation of a client. It makes and reads values by the names of Rust, so that the tables of
//! names on the wire are not used on both sides.

use std::fmt::Write as _;

use driftless_codegen::{
    Catalog, CatalogForm, CatalogMember, CatalogOperation, CatalogTagging, CatalogType, CatalogVariant, Passing, Scheme,
};

/// The part that is the same for all clients.
const COMMON: &str = include_str!("caller.rs");

/// The program. The client is the crate `client`.
pub(crate) fn source(catalog: &Catalog, schemes: &[Scheme], servers: &[String]) -> String {
    let mut text = COMMON.to_owned();
    text.push_str(&client(catalog, schemes, servers));
    for ty in &catalog.types {
        if ty.is_sent {
            text.extend(make(catalog, ty));
        }
        if ty.is_returned {
            text.extend(show(ty));
        }
    }
    let mut arms = String::new();
    for (index, operation) in catalog.operations.iter().enumerate() {
        text.push_str(&call(&catalog.client, index, operation));
        let _ = writeln!(arms, "        {index} => Box::pin(call_{index}(client, line)),");
    }
    let client = &catalog.client;
    let _ = write!(
        text,
        "\nfn perform<'a>(client: &'a {client}, operation: usize, line: &'a Line) -> Pin<Box<dyn Future<Output = Outcome> + 'a>> {{\n    \
         match operation {{\n{arms}        other => Box::pin(async move {{ Err(Failed::Argument(format!(\"no operation {{other}}\"))) }}),\n    \
         }}\n}}\n"
    );
    text
}

/// The function that makes the client, with a key for each scheme.
fn client(catalog: &Catalog, schemes: &[Scheme], servers: &[String]) -> String {
    let mut text = format!(
        "\nfn client(address: &str, shows_token: bool) -> Result<{name}, Error> {{\n    let secret = || auth::SecretString::from(\"secret\");\n    \
         let builder = {name}::builder(address).no_retry().operations_of_other_servers();\n    \
         let builder = if shows_token {{ builder.credential(auth::StaticToken::new(secret())) }} else {{ builder }};\n    builder",
        name = catalog.client
    );
    for scheme in schemes {
        match scheme {
            Scheme::Key(_, name, _) => text.push_str(&format!(".api_key({name:?}, secret())")),
            Scheme::Basic(name) => text.push_str(&format!(".basic({name:?}, \"user\", secret())")),
            Scheme::Token => {}
        }
    }
    if catalog.operations.iter().any(|operation| operation.api_version.as_ref().is_some_and(|it| it.default.is_none()))
    {
        text.push_str(".api_version(\"1\")");
    }
    for server in servers {
        text.push_str(&format!(".server({server:?}, ServerSettings::new(address))"));
    }
    text + ".build()\n}\n"
}

fn named(catalog: &Catalog, name: &str) -> Option<String> {
    let name = name.strip_prefix("types::")?;
    catalog.types.iter().any(|ty| ty.name == name).then(|| name.to_owned())
}

/// Returns whether a type is an object that has a member.
fn has_member(catalog: &Catalog, rust: &str, wire: &str) -> bool {
    let ty = named(catalog, rust).and_then(|name| catalog.types.iter().find(|ty| ty.name == name));
    match ty.map(|ty| &ty.form) {
        Some(CatalogForm::Object(members, extra)) => {
            extra.is_some() || members.iter().any(|member| member.wire == wire)
        }
        Some(CatalogForm::Alias(other)) => has_member(catalog, other, wire),
        _ => true,
    }
}

fn make(catalog: &Catalog, ty: &CatalogType) -> Option<String> {
    let body = match &ty.form {
        CatalogForm::Object(members, extra) => make_object(members, extra.as_ref()),
        CatalogForm::Multipart(members) => make_object(members, None),
        CatalogForm::Alias(_) | CatalogForm::ByStatus(_) => return None,
        CatalogForm::Enumeration(is_number, values) => {
            let arms: String = values
                .iter()
                .map(|(wire, name)| match is_number {
                    true => format!("            Some({wire}) => Self::{name},\n"),
                    false => format!("            Some({wire:?}) => Self::{name},\n"),
                })
                .collect();
            let read = if *is_number { "value.as_i64()" } else { "value.as_str()" };
            let unknown =
                if *is_number { "other.try_into().map_err(|_| value.to_string())?" } else { "other.to_owned()" };
            format!(
                "        Ok(match {read} {{\n{arms}            Some(other) => Self::Unknown({unknown}),\n            \
                 None => return Err(format!(\"not a value of an enumeration: {{value}}\")),\n        }})\n"
            )
        }
        CatalogForm::Identifier(rust) => format!("        Ok(Self::from(<{rust}>::make(value)?))\n"),
        CatalogForm::Union(tagging, variants) => make_union(catalog, tagging, variants),
    };
    Some(format!(
        "\nimpl Make for types::{} {{\n    fn make(value: &Json) -> Result<Self, String> {{\n{body}    }}\n}}\n",
        ty.name
    ))
}

fn make_object(members: &[CatalogMember], extra: Option<&(String, String)>) -> String {
    let names: Vec<String> = members.iter().map(|member| format!("{:?}", member.wire)).collect();
    let names = format!("&[{}]", names.join(", "));
    let is_required = |member: &&CatalogMember| member.presence == "required";
    let new: Vec<String> = members
        .iter()
        .filter(is_required)
        .map(|member| format!("required::<{}>(members, {:?})?", member.rust, member.wire))
        .collect();
    let new = if new.is_empty() { "Self::default()".to_owned() } else { format!("Self::new({})", new.join(", ")) };
    let mut text = "        let members = members(value)?;\n".to_owned();
    if extra.is_none() {
        let _ = writeln!(text, "        declared(members, {names})?;");
    }
    let _ = writeln!(text, "        let mut made = {new};");
    for member in members.iter().filter(|member| member.presence != "required") {
        let CatalogMember { name, wire, rust, presence, has_setter, .. } = member;
        let set = |value: String| match has_setter {
            true => format!("made = made.{name}({value})"),
            false if *presence == "maybe" => format!("made.{name} = ({value}).into()"),
            false => format!("made.{name} = Some({value})"),
        };
        let value = set(format!("<{rust}>::make(value).map_err(|error| format!(\"{{}}: {{error}}\", {wire:?}))?"));
        let null = match *presence {
            "maybe" if *has_setter => format!("made = made.{name}(Maybe::<{rust}>::Null)"),
            "maybe" => format!("made.{name} = Maybe::Null"),
            "nullable" => "()".to_owned(),
            // A value that can be anything can be null.
            _ => value.clone(),
        };
        let _ = writeln!(
            text,
            "        match members.get({wire:?}) {{\n            Some(Json::Null) => {{ {null}; }}\n            Some(value) => {{ {value}; }}\n            None => {{}}\n        }}"
        );
    }
    if let Some((name, rust)) = extra {
        let _ = writeln!(
            text,
            "        for (name, value) in members.iter().filter(|(name, _)| !{names}.contains(&name.as_str())) {{\n            \
             made.{name}.insert(name.clone(), <{rust}>::make(value)?);\n        }}"
        );
    }
    text + "        Ok(made)\n"
}

fn make_union(catalog: &Catalog, tagging: &CatalogTagging, variants: &[CatalogVariant]) -> String {
    let mut text = String::new();
    match tagging {
        CatalogTagging::Tag(name) => {
            let _ = writeln!(text, "        match tag(value, {name:?}).as_str() {{");
            for CatalogVariant { name: variant, rust, tags } in variants {
                let tags: Vec<String> = tags.iter().map(|tag| format!("{tag:?}")).collect();
                let value =
                    if has_member(catalog, rust, name) { "value" } else { &format!("&without(value, {name:?})") };
                let _ = writeln!(
                    text,
                    "            {} => return Ok(Self::{variant}(<{rust}>::make({value})?.into())),",
                    tags.join(" | ")
                );
            }
            text.push_str("            _ => {}\n        }\n        Ok(Self::Unknown(Value::make(value)?))\n");
        }
        CatalogTagging::Key => {
            text.push_str("        let members = members(value)?;\n");
            for CatalogVariant { name: variant, rust, tags } in variants {
                let tag = tags.first().map(String::as_str).unwrap_or_default();
                let _ = writeln!(
                    text,
                    "        if let Some(value) = members.get({tag:?}) {{ return Ok(Self::{variant}(<{rust}>::make(value)?.into())); }}"
                );
            }
            text.push_str("        Err(format!(\"no variant: {value}\"))\n");
        }
        CatalogTagging::Shape => {
            for CatalogVariant { name: variant, rust, .. } in variants {
                let _ = writeln!(
                    text,
                    "        if let Ok(made) = <{rust}>::make(value) {{ return Ok(Self::{variant}(made.into())); }}"
                );
            }
            text.push_str("        Ok(Self::Unknown(Value::make(value)?))\n");
        }
    }
    text
}

fn show(ty: &CatalogType) -> Option<String> {
    let body = match &ty.form {
        CatalogForm::Object(members, extra) => {
            let mut text = "        let mut members = Map::new();\n".to_owned();
            for CatalogMember { name, wire, presence, .. } in members {
                let _ = match *presence {
                    "required" => writeln!(text, "        members.insert({wire:?}.to_owned(), self.{name}.show());"),
                    "maybe" => writeln!(
                        text,
                        "        match &self.{name} {{\n            Maybe::Absent => {{}}\n            Maybe::Null => {{ members.insert({wire:?}.to_owned(), Json::Null); }}\n            \
                         Maybe::Value(value) => {{ members.insert({wire:?}.to_owned(), value.show()); }}\n        }}"
                    ),
                    _ => writeln!(
                        text,
                        "        if let Some(value) = &self.{name} {{ members.insert({wire:?}.to_owned(), value.show()); }}"
                    ),
                };
            }
            if let Some((name, _)) = extra {
                let _ = writeln!(
                    text,
                    "        for (name, value) in &self.{name} {{ members.insert(name.clone(), value.show()); }}"
                );
            }
            text + "        Json::Object(members)\n"
        }
        CatalogForm::Multipart(_) | CatalogForm::Alias(_) => return None,
        CatalogForm::Enumeration(is_number, values) => {
            let arms: String = values
                .iter()
                .map(|(wire, name)| match is_number {
                    true => format!("            Self::{name} => Json::from({wire}_i64),\n"),
                    false => format!("            Self::{name} => Json::from({wire:?}),\n"),
                })
                .collect();
            format!(
                "        match self {{\n{arms}            Self::Unknown(other) => Json::from(other.clone()),\n            _ => Json::Null,\n        }}\n"
            )
        }
        CatalogForm::Identifier(rust) => format!("        <{rust}>::from(self.clone()).show()\n"),
        CatalogForm::Union(tagging, variants) => {
            let mut text = "        match self {\n".to_owned();
            for CatalogVariant { name, tags, .. } in variants {
                let value = match (tagging, tags.as_slice()) {
                    (CatalogTagging::Tag(wire), [tag]) => format!("with(value.show(), {wire:?}, {tag:?})"),
                    (CatalogTagging::Key, [tag, ..]) => format!("serde_json::json!({{ {tag:?}: value.show() }})"),
                    _ => "value.show()".to_owned(),
                };
                let _ = writeln!(text, "            Self::{name}(value) => {value},");
            }
            if *tagging != CatalogTagging::Key {
                text.push_str("            Self::Unknown(value) => value.show(),\n");
            }
            text + "            _ => Json::Null,\n        }\n"
        }
        CatalogForm::ByStatus(variants) => {
            let mut text = "        match self {\n".to_owned();
            for (_, name, content) in variants {
                let _ = match content {
                    Some(_) => writeln!(text, "            Self::{name}(value) => value.show(),"),
                    None => writeln!(text, "            Self::{name} => Json::Null,"),
                };
            }
            text + "            _ => Json::Null,\n        }\n"
        }
    };
    Some(format!("\nimpl Show for types::{} {{\n    fn show(&self) -> Json {{\n{body}    }}\n}}\n", ty.name))
}

/// An argument whose owned value is in a variable.
fn passed(passing: Passing, value: &str) -> String {
    match passing {
        Passing::Value => value.to_owned(),
        Passing::Reference => format!("&{value}"),
        Passing::OptionalReference => format!("{value}.as_ref()"),
        Passing::OptionalSlice => format!("{value}.as_deref()"),
    }
}

fn call(client: &str, index: usize, operation: &CatalogOperation) -> String {
    let CatalogOperation { accessor, name, inputs, body, form, .. } = operation;
    let mut text = format!("\nasync fn call_{index}(client: &{client}, line: &Line) -> Outcome {{\n");
    let mut arguments = Vec::new();
    for (position, input) in inputs.iter().enumerate().filter(|(_, input)| input.is_argument) {
        let _ =
            writeln!(text, "    let a{position} = line.take::<{}>({:?}, {:?})?;", input.rust, input.place, input.wire);
        arguments.push((input.name.as_str(), passed(input.passing, &format!("a{position}"))));
    }
    if let Some(body) = body.as_ref().filter(|body| body.required) {
        let _ = writeln!(text, "    let body = line.body::<{}>()?;", body.rust);
        arguments.push(("body", passed(body.passing, "body")));
    }
    let list = |one: fn(&(&str, String)) -> String| arguments.iter().map(one).collect::<Vec<_>>().join(", ");
    let list = match &operation.arguments {
        Some(path) => format!("{path} {{ {} }}", list(|(name, value)| format!("{name}: {value}"))),
        None => list(|(_, value)| value.clone()),
    };
    let _ = writeln!(text, "    let call = client{accessor}.{name}({list});");
    if let Some(body) = body.as_ref().filter(|body| !body.required) {
        let value = passed(body.passing, &format!("line.body::<{}>()?", body.rust));
        let _ = writeln!(text, "    let call = if line.body.is_some() {{ call.body({value}) }} else {{ call }};");
    }
    for input in inputs.iter().filter(|input| !input.is_argument) {
        let value =
            passed(input.passing, &format!("line.take::<{}>({:?}, {:?})?", input.rust, input.place, input.wire));
        let _ = writeln!(
            text,
            "    let call = if line.get({:?}, {:?}).is_some() {{ call.{}({value}) }} else {{ call }};",
            input.place, input.wire, input.name
        );
    }
    text.push_str(match *form {
        "stream" => "    Ok(call.await?.bytes().await?.show())\n}\n",
        "events" => "    let _ = call.await?;\n    Ok(Json::Null)\n}\n",
        _ => "    Ok(call.await?.show())\n}\n",
    });
    text
}
