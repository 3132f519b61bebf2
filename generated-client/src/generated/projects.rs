//! Projects and components.

use crate::generated::types;
use crate::wire::prelude::*;

const FAMILY: Operation = Operation::family("projects");

/// Projects and components.
#[derive(Clone, Copy, Debug)]
pub struct Projects<'a>(&'a Platform);

impl<'a> Projects<'a> {
    pub(crate) fn new(platform: &'a Platform) -> Self {
        Self(platform)
    }

    /// `GET /api/projects/v1/projects`
    pub fn list_projects(self) -> Call<'a, Vec<Object>> {
        static OPERATION: Operation =
            Operation { name: "list_projects", method: Get, path: "/api/projects/v1/projects", ..FAMILY };
        self.0.call(&OPERATION, &[], Payload::None, decode::json)
    }

    /// `GET /api/projects/v1/projects/{project_id}`
    pub fn get_project(self, project_id: &Uuid) -> Call<'a, Object> {
        static OPERATION: Operation = Operation {
            name: "get_project",
            method: Get,
            path: "/api/projects/v1/projects/{project_id}",
            parameters: &[path("project_id")],
            ..FAMILY
        };
        self.0.call(&OPERATION, &[project_id], Payload::None, decode::json)
    }

    /// `POST /api/projects/v1/projects`
    pub fn create_project(self, body: &types::CreateProject) -> Call<'a, Option<Value>> {
        static OPERATION: Operation = Operation {
            name: "create_project",
            method: Post,
            path: "/api/projects/v1/projects",
            body: "application/json",
            ..FAMILY
        };
        self.0.call(&OPERATION, &[], Payload::Json(body), decode::optional_json)
    }
}
