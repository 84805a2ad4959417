package dev.pvcpopulators.kit.web;

import java.util.List;

/// The page that a service shows at `/` instead of the status page; a service with its own page
/// provides this record as a bean.
///
/// @param index the resource of the page, such as `/page/index.html`
/// @param files the resources that the page loads, such as `/page/upload.js`; the name of a
///   resource is also the path of its URL
public record Page(String index, List<String> files) {
  public Page {
    files = List.copyOf(files);
  }
}
