package dev.pvcpopulators.volume.web;

import java.util.List;

/// What a service shows at `/` in place of the status page. A service that has one of its own gives
/// a bean.
///
/// @param index the resource that is the page: `/page/index.html`
/// @param files the resources that it loads, each served by its own name: `/page/upload.js`
public record Page(String index, List<String> files) {
  public Page {
    files = List.copyOf(files);
  }
}
