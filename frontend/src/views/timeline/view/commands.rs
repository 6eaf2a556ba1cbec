//! Handlers of the timeline's commands; a command without an arm here does not compile.

use std::rc::Rc;

use crate::browser::focus;
use crate::stage::saving::PictureFormat;
use crate::views::timeline::input::Tool;
use crate::views::timeline::keys::Command;
use crate::views::timeline::tracks::Grouping;
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::selection::Walk;

impl Controller {
    pub(crate) fn command(self: &Rc<Self>, command: Command) {
        match command {
            Command::Fit => self.fit(),
            Command::FitAll => self.fit_all(),
            Command::FitDevice => self.fit_device(),
            Command::Before | Command::After => self.walk_chain(command == Command::Before),
            Command::Partner => {
                let goal = {
                    let inner = self.inner.borrow();
                    inner.marks.as_ref().and_then(|marks| marks.partners.first().copied())
                };
                if let Some(goal) = goal {
                    self.session.go_to(goal);
                }
            }
            Command::Previous => self.walk_lane(Walk::Previous),
            Command::Next => self.walk_lane(Walk::Next),
            Command::MeasureTool => {
                if !self.measure_selected() {
                    self.toggle_tool(Tool::Measure);
                }
            }
            Command::AreaTool => self.toggle_tool(Tool::Area),
            Command::MeasureSelected => {
                self.measure_selected();
            }
            Command::Gap => self.measure_gap(),
            Command::SelectArea => self.select_area(),
            Command::Note => self.write_note(),
            Command::Zero => self.set_zero(),
            Command::CriticalPath => self.change_additions(|additions| additions.has_critical_path ^= true),
            Command::Chain => self.change_additions(|additions| additions.arrows.is_chain ^= true),
            Command::Dim => self.change_additions(|additions| additions.is_undimmed ^= true),
            Command::NextGap => self.step_gap(false),
            Command::PreviousGap => self.step_gap(true),
            Command::NextMatch => self.step_match(false),
            Command::PreviousMatch => self.step_match(true),
            Command::Search => focus("[data-testid=search]"),
            Command::FilterTracks => focus("[data-testid=track-filter]"),
            Command::Group => self.change_tracks(|choice| {
                let place =
                    Grouping::ALL.iter().position(|grouping| *grouping == choice.grouping).unwrap_or(0);
                choice.grouping = Grouping::ALL[(place + 1) % Grouping::ALL.len()];
            }),
            Command::ShowAllTracks => self.change_tracks(|choice| {
                choice.hidden.clear();
                choice.filter.clear();
            }),
            Command::ShowObject => self.show_selected_object(),
            Command::SaveSvg => self.save_picture(PictureFormat::Svg),
            Command::SavePng => self.save_picture(PictureFormat::Png(2.0)),
        }
        self.request_frame();
    }
}
