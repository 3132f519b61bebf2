//! Reads from the stores which kinds are paused and how many operations wait, and determines which operations make
//! room.

use std::{collections::HashMap, time::Duration};

use super::{Post, Supervisor};
use crate::{
    clock::{self, Until},
    operations::{
        Demand, Wanted, WatchOptions,
        worker::{Settings, progress::TaskRequest, share::releases},
    },
};

/// The shortest time between two surveys, if turns are shorter.
const LEAST: Duration = Duration::from_millis(10);

impl Supervisor {
    /// Releases operations of paused kinds, and has operations whose turn is over make room for those that wait.
    pub(super) async fn survey(&mut self) {
        let now = clock::now();
        if !self.survey_at.is_over(now) {
            return;
        }
        let Settings { poll, turn, watching, .. } = self.shared.settings;
        self.survey_at = Until::from(now, poll.min(turn.max(LEAST)));
        let (groups, mut demands) = (self.groups(), HashMap::new());
        let limit = u32::try_from(watching).unwrap_or(u32::MAX);
        for (index, source) in self.sources.iter().enumerate() {
            let deployment = source.operations.deployment();
            let wanted: Vec<Wanted> = source.kinds.iter().map(|kind| Wanted::new(&deployment, kind, limit)).collect();
            match source.operations.store().demand(&wanted).await {
                Ok(answer) => demands.extend(source.kinds.iter().map(|kind| (index, kind.clone())).zip(answer)),
                Err(error) => self.shared.store_failed(&source.operations, error),
            }
        }
        let demand: Vec<Demand> = groups.iter().map(|group| demands.get(group).copied().unwrap_or_default()).collect();
        let mut posts: Vec<Vec<&Post>> = groups.iter().map(|(source, kind)| self.group(*source, kind)).collect();
        let held: Vec<usize> = posts.iter().map(Vec::len).collect();
        let due: Vec<usize> = demand.iter().map(|demand| demand.due as usize).collect();
        let given = releases(watching, &held, &due);
        for (((posts, demand), given), (source, _)) in posts.iter_mut().zip(demand).zip(given).zip(&groups) {
            if demand.paused {
                posts.iter().for_each(|post| post.progress.request(TaskRequest::LetGo));
                continue;
            }
            let asked = posts.iter().filter(|post| post.progress.is_requested(TaskRequest::Yield)).count();
            let options = self.sources.get(*source).map(|source| source.operations.options());
            let patience = options.map(WatchOptions::patience).unwrap_or_default();
            posts.retain(|post| {
                !post.progress.is_requested(TaskRequest::Yield) && post.progress.is_turn_over(now, turn, patience)
            });
            posts.sort_by_key(|post| post.progress.since());
            posts.iter().take(given.saturating_sub(asked)).for_each(|post| post.progress.request(TaskRequest::Yield));
        }
    }
}
